import DefaultTheme from "vitepress/theme"
import "./style.css"
import MermaidDrawing from "./MermaidDrawing.vue"

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }: { readonly app: { component: (name: string, component: unknown) => unknown } }) => {
    app.component("MermaidDrawing", MermaidDrawing)
  },
}
