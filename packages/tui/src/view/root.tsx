/** What connects the terminal with the program: keys, pastes, and every new state. */
/** @jsxRuntime classic @jsx React.createElement @jsxFrag React.Fragment */
import { useApp, useInput, usePaste } from "ink"
import * as React from "react"
import { useEffect, useSyncExternalStore } from "react"
import { strokes } from "../input.ts"
import type { Program } from "../program.ts"
import { App } from "./app.tsx"

/** What only Ink can do. */
export interface Handle {
  /** Gives the terminal away until `during` is over. */
  readonly suspend: (during: () => Promise<void>) => Promise<void>
}

interface RootProps {
  readonly program: Program
  readonly onReady?: (handle: Handle) => void
}

export const Root = ({ program, onReady }: RootProps) => {
  const { suspendTerminal } = useApp()
  const state = useSyncExternalStore(program.subscribe, program.state)
  useEffect(() => {
    onReady?.({ suspend: (during) => suspendTerminal(during) })
  }, [onReady, suspendTerminal])
  useInput((input, key) => program.press(strokes(input, key)))
  usePaste((text) => program.press([{ type: "paste", text }]))
  return <App state={state} />
}
