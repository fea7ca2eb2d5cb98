import lazy from "preact-iso/lazy"

/**
 * A page whose code loads when it is first opened. After an upgrade of the server, the code of the former version is gone:
 * then the document is loaded again. Shortly after a load, that cannot be the cause.
 */
export const lazyPage: typeof lazy = (load) =>
  lazy(async () => {
    try {
      return await load()
    } catch (error) {
      if (performance.now() < 5_000) throw error
      location.reload()
      return new Promise(() => {})
    }
  })
