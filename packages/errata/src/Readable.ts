/** Returns a value of the application, or undefined if reading it throws. */
export const readable = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}
