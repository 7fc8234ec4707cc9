// SPDX-License-Identifier: Apache-2.0
import DefaultTheme from 'vitepress/theme'
import { withBase } from 'vitepress'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ router }) {
    // Results of the search may lead to the Javadoc, whose pages are not of VitePress; only the list of modules is.
    router.onBeforeRouteChange = (to) => {
      const javadoc = withBase('/javadoc/')
      if (!to.startsWith(javadoc) || to.length === javadoc.length) return true
      window.location.assign(to)
      return false
    }
  },
}
