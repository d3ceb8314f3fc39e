/** What is answered instead, an example for each error. */
import type { Refusal } from "../operations.ts"
import { ask, askID, monitorID, promptID, sessionID, shellID } from "./nouns.ts"

/** By tag, with the tag left out. */
const facts: { readonly [Tag in Refusal["_tag"]]: Omit<Extract<Refusal, { readonly _tag: Tag }>, "_tag"> } = {
  AskAnswered: { askID, answer: "reject", message: "This ask has been answered already" },
  AskNotFound: { askID, message: "No such ask waits; it may have been answered or withdrawn" },
  BadRequest: {
    field: "query.limit",
    expected: "a whole number from 1 to 1000",
    message: "A part of the request is not what it should be"
  },
  BodyTooLarge: { maxBytes: 8_388_608, message: "The body is too large" },
  ConfigInvalid: {
    file: "/home/ada/shop/vigil.json",
    problems: [
      { line: 3, column: 5, key: "monitor.batchMs", message: "Expected a whole number from 0 to 5000" }
    ],
    message: "/home/ada/shop/vigil.json:3:5: monitor.batchMs: Expected a whole number from 0 to 5000"
  },
  DirectoryNotFound: {
    directory: "/home/ada/shpo",
    message: "A session needs an existing directory, named by its absolute path"
  },
  InputConflict: { inputID: promptID, message: "Another input was admitted under this id" },
  InputNotFound: { inputID: promptID, message: "No such input waits; it may have been read already" },
  MonitorConflict: { monitorID, message: "Another monitor was started under this id" },
  MonitorNotFound: { monitorID, message: "This session has no such monitor" },
  PermissionDenied: { message: "The rule shell: npm publish * denies it", subjects: ask.subjects },
  ServerFault: { errorID: "f3k9z1", message: "The server failed; its log says why" },
  ServerStopping: { message: "The server is stopping" },
  SessionNotFound: { sessionID, message: "There is no such session" },
  ShellNotFound: { shellID, message: "This session has no such background shell" },
  StartFailed: { message: "The command could not be started" },
  StrangerRefused: { header: "origin", message: "This server does not answer to that host or origin" },
  TimeoutOutOfRange: {
    timeoutMs: 7_200_000,
    min: 1_000,
    max: 1_800_000,
    message: "timeoutMs must be from 1000 to 1800000"
  },
  TooManyMonitors: {
    limit: 4,
    scope: "session",
    active: [{ id: monitorID, description: "Tests of the shop" }],
    message: "4 monitors are active in this session, and there may be no more"
  },
  Unauthorized: { message: "The bearer token is missing or wrong" }
}

export const refusals: { readonly [tag: string]: object } = Object.fromEntries(
  Object.entries(facts).map(([_tag, fact]) => [_tag, { _tag, ...fact }])
)
