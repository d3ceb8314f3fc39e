/** What goes over the wire, by the names that the contract gives it. */
export type * from "./gen/types.gen.ts"
