// SPDX-License-Identifier: Apache-2.0
import DefaultTheme from 'vitepress/theme'
import './style.css'

export default DefaultTheme
