import type { Document } from '../document.ts'
import { faviconIco } from '../favicon.ts'

/** For clients that ask for `/favicon.ico` without reading a page first. */
export const favicon: Document = { path: '/favicon.ico', type: 'image/x-icon', text: () => faviconIco() }
