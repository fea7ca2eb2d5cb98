import DefaultTheme from "vitepress/theme"
import Drawing from "./Drawing.vue"

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }: { readonly app: { component: (name: string, component: unknown) => unknown } }) => {
    app.component("Drawing", Drawing)
  },
}
