/**
 * An instance of a schema's class, of fields that are known to be valid, such as those of a stored row or of another
 * instance. The constructor would check each of them again, and takes many times as long.
 */
export const unchecked = <A extends object, Fields extends object>(
  type: { readonly prototype: A; new (fields: Fields, ...options: never): A },
  fields: NoInfer<Fields>,
): A => Object.assign(Object.create(type.prototype), fields)
