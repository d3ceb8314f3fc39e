import type { Document } from "./document.ts"
export const exemplify = (document: Document): Document => document
