// @ts-nocheck
// Generated from protocol/openapi.json; do not edit.

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

/**
 * Absolute, as text that a file system takes.
 */
export type AbsolutePath = string;

/**
 * `directory` is work outside the session's directory; it is asked for besides the action itself.
 */
export type Action = 'shell' | 'edit' | 'read' | 'directory';

/**
 * `withdrawn` is no one's answer: the asker was interrupted, deleted, or its server ended.
 */
export type Answer = 'once' | 'always' | 'reject' | 'withdrawn';

/**
 * The ask, and the answer that holds.
 */
export type Answered = {
    /**
     * The ask
     */
    askID: AskId;
    /**
     * What holds for it
     */
    answer: Answer;
};

/**
 * A question that waits for a person: may this be done?
 */
export type Ask = {
    id: AskId;
    /**
     * Whose agent asks
     */
    sessionID: string;
    /**
     * The tool that asks
     */
    tool: string;
    /**
     * The provider's id of the call
     */
    callID?: string;
    /**
     * What is to be done, whole: the command, or the file
     */
    title: string;
    /**
     * Only those that need an answer
     */
    subjects: Array<Subject>;
    /**
     * When it was asked
     */
    createdAt: number;
};

/**
 * Somebody was faster, with another answer, which holds.
 */
export type AskAnswered = {
    _tag: 'AskAnswered';
    /**
     * The ask
     */
    askID: string;
    /**
     * What holds
     */
    answer: Answer;
    message: string;
};

export type AskId = string;

/**
 * No such ask waits: it was answered or withdrawn some time ago. Nothing is left to do.
 */
export type AskNotFound = {
    _tag: 'AskNotFound';
    /**
     * The id that was asked for
     */
    askID: string;
    message: string;
};

/**
 * Asks that wait, oldest first.
 */
export type AskPage = {
    /**
     * As many as the page holds
     */
    items: Array<Ask>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * One step of the agent: one model request.
 */
export type AssistantMessage = {
    sessionID: SessionId;
    /**
     * The turn in which it was read, or written
     */
    turnID: TurnId;
    /**
     * When it was read, or begun
     */
    createdAt: number;
    id: MessageId;
    role: 'assistant';
    /**
     * `provider/model`
     */
    model: string;
    /**
     * `streaming` until the request has ended
     */
    status: 'streaming' | 'completed' | 'interrupted' | 'failed';
    /**
     * Why it failed, for a person
     */
    error?: string;
    /**
     * Tokens of the request, once it has ended
     */
    usage?: Usage;
    /**
     * When the request ended
     */
    endedAt?: number;
};

/**
 * A part of the request is not what it should be. Mend the field that is named, then send it again.
 */
export type BadRequest = {
    _tag: 'BadRequest';
    /**
     * For example `body.command`, `query.limit`, `path.sessionID`, `header.last-event-id`
     */
    field: string;
    /**
     * What it should be; what was sent is never repeated
     */
    expected: string;
    message: string;
};

/**
 * The body is larger than the server takes. Send less.
 */
export type BodyTooLarge = {
    _tag: 'BodyTooLarge';
    /**
     * The most it takes
     */
    maxBytes: number;
    message: string;
};

export type Command = string;

/**
 * Everything that can be set, with all of it there.
 */
export type Config = {
    /**
     * `provider/model` of sessions that name none
     */
    model?: string;
    providers: {
        [key: string]: ProviderConfig;
    };
    permission: Array<Rule>;
    monitor: {
        /**
         * Active monitors in one session
         */
        maxActive: number;
        /**
         * Active monitors on one server
         */
        maxActiveTotal: number;
        /**
         * Deadline of a monitor that names none, in ms
         */
        timeoutMs: number;
        /**
         * Longest deadline that may be asked for, in ms
         */
        maxTimeoutMs: number;
        /**
         * How long lines are collected into one event, in ms
         */
        batchMs: number;
        /**
         * Events allowed in one rate window
         */
        rateEvents: number;
        /**
         * The rate window, in ms
         */
        rateWindowMs: number;
        /**
         * Text of one event, in bytes
         */
        maxBatchBytes: number;
        /**
         * Raw stdout that a monitor may print, in bytes
         */
        maxStdoutBytes: number;
        /**
         * Newest output that is kept to be read, in bytes
         */
        maxLogBytes: number;
        /**
         * Ended monitors kept in one session
         */
        keepEnded: number;
        /**
         * Time between SIGTERM and SIGKILL, in ms
         */
        killGraceMs: number;
        /**
         * Whether the notice of a monitor that a restart ended wakes its session
         */
        wakeOnRestart: boolean;
    };
    shell: {
        /**
         * How long a foreground command may take before it moves to the background, in ms
         */
        timeoutMs: number;
        /**
         * Longest foreground time that may be asked for, in ms
         */
        maxTimeoutMs: number;
        /**
         * Active background shells in one session
         */
        maxActive: number;
        /**
         * Newest output that is kept to be read, in bytes
         */
        maxLogBytes: number;
        /**
         * Ended shells kept in one session
         */
        keepEnded: number;
        /**
         * Names of environment variables that commands see although providers read them
         */
        passEnv: Array<string>;
    };
    events: EventLimits;
    retry: RetryLimits;
    feed: FeedLimits;
    /**
     * Paths, relative to the file that names them, and packages
     */
    plugins: Array<string>;
    plugin: PluginLimits;
    /**
     * Of the terminal UI; `auto` follows the terminal
     */
    theme: 'auto' | 'dark' | 'light';
    /**
     * Commands of the terminal UI, and the keys that give each in place of its own; its help names them
     */
    keys: {
        [key: string]: string | Array<string>;
    };
};

/**
 * A configuration file can't be used. Mend what is wrong in it, and ask again.
 */
export type ConfigInvalid = {
    _tag: 'ConfigInvalid';
    /**
     * Which file
     */
    file: string;
    /**
     * All that is wrong in it
     */
    problems: Array<ConfigProblem>;
    message: string;
};

/**
 * What is wrong in a configuration file, and where.
 */
export type ConfigProblem = {
    /**
     * From 1
     */
    line: number;
    /**
     * From 1, in UTF-16 units
     */
    column: number;
    /**
     * For example `monitor.batchMs`; empty where the file as a whole is meant
     */
    key: string;
    /**
     * What is wrong, for a person
     */
    message: string;
};

/**
 * First frame of every connection. It has no id.
 */
export type Connected = {
    type: 'connected';
    /**
     * Whose events follow: another one than before means that nothing read before holds
     */
    storeID: string;
    /**
     * The newest event there is
     */
    seq: number;
};

/**
 * What reading a monitor's events has cost: the requests that brought them, not what the agent did then.
 */
export type Cost = {
    /**
     * Model requests that its events caused or joined
     */
    reads: number;
    /**
     * Of these requests. Monitors whose events one request brought share its tokens evenly
     */
    inputTokens: number;
    /**
     * Of these requests, shared alike
     */
    outputTokens: number;
};

/**
 * Stands for lines that no longer had room in the inbox.
 */
export type Counts = {
    type: 'counts';
    /**
     * How many lines of each source are left out
     */
    suppressed: Array<{
        source: Source;
        lines: number;
    }>;
};

/**
 * `steer` is read at the next safe step boundary, `queue` when the turn ends.
 */
export type Delivery = 'steer' | 'queue';

export type Description = string;

/**
 * The directory is not there, or is none. Name an existing one of the server's machine by its absolute path.
 */
export type DirectoryNotFound = {
    _tag: 'DirectoryNotFound';
    /**
     * What was asked for
     */
    directory: string;
    message: string;
};

/**
 * What is in force, whose word each value is, and what a project's file says that does not count.
 */
export type EffectiveConfig = {
    /**
     * Keys and passwords are masked
     */
    config: Config;
    /**
     * A key such as `monitor.batchMs`, and the file that set it; what is not there is a default
     */
    origins: {
        [key: string]: string;
    };
    /**
     * What a project may not set
     */
    ignored: Array<{
        file: string;
        key: string;
        reason: string;
    }>;
};

/**
 * `max_events`, `inactive`, `closed` and `superseded` are reserved; a client treats one it does not know as a plain end.
 */
export type EndReason = 'exited' | 'expired' | 'cancelled' | 'rate_limit' | 'output_limit' | 'server_restarted' | 'session_deleted' | 'error' | 'max_events' | 'inactive' | 'closed' | 'superseded';

/**
 * 2,000 variables at most. What providers read, and Vigil's own, is left out of it before it is kept.
 */
export type Environment = {
    [key: string]: string;
};

/**
 * A durable fact with its place in the feed. `type` tells which it is.
 */
export type Event = SessionCreated | SessionUpdated | SessionDeleted | MessageCreated | MessageUpdated | MessageCompleted | PartCreated | PartCompleted | TurnStarted | TurnEnded | InboxAdmitted | InboxPromoted | InboxWithdrawn | MonitorStarted | MonitorUpdated | MonitorEnded | MonitorLines | MonitorRemoved | ShellStarted | ShellUpdated | ShellEnded | ShellRemoved | PermissionAsked | PermissionReplied;

export type EventLimits = {
    /**
     * Times that events are read in one turn
     */
    perTurn: number;
    /**
     * Times that events are read in an hour without a prompt
     */
    perHour: number;
    /**
     * Rest after a turn that reached its bound, or was interrupted, in ms
     */
    pauseMs: number;
    /**
     * Events that wait in one session's inbox
     */
    maxWaiting: number;
};

/**
 * A synthetic input that was read: never the user's words. Its id is the input's.
 */
export type EventMessage = {
    sessionID: SessionId;
    /**
     * The turn in which it was read, or written
     */
    turnID: TurnId;
    /**
     * When it was read, or begun
     */
    createdAt: number;
    id: InputId;
    role: 'event';
    /**
     * Who admitted it
     */
    origin: Origin;
    /**
     * What it says
     */
    payload: Synthetic;
};

/**
 * Why events wait for the user's next prompt: they were read too often (`budget`), or the last turn ended by an error that no retry mends (`failure`).
 */
export type EventsHeld = 'budget' | 'failure';

/**
 * A frame of the feed, by its `type`: an event, text that streams, or word about the connection.
 */
export type FeedEvent = Event | MessageDelta | Connected | Resync;

export type FeedLimits = {
    /**
     * Events kept for replay
     */
    keepEvents: number;
};

/**
 * What answers, and for how long it has.
 */
export type Health = {
    /**
     * Of the server; clients of another major version refuse
     */
    version: string;
    /**
     * When it began to serve
     */
    startedAt: number;
    /**
     * Made once for a state directory: what was read of another store says nothing about this one
     */
    storeID: string;
};

/**
 * The session was told something that it has not read yet.
 */
export type InboxAdmitted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'inbox.admitted';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        input: Input;
    };
};

/**
 * Inputs were read: they are messages now.
 */
export type InboxPromoted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'inbox.promoted';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        inputIDs: Array<InputId>;
    };
};

/**
 * Inputs were taken back before they were read.
 */
export type InboxWithdrawn = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'inbox.withdrawn';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        inputIDs: Array<InputId>;
    };
};

/**
 * What a session was told and has not read yet.
 */
export type Input = {
    id: InputId;
    sessionID: SessionId;
    /**
     * The user's words, or anything else
     */
    kind: 'prompt' | 'synthetic';
    /**
     * When it is read
     */
    delivery: Delivery;
    /**
     * Who admitted it
     */
    origin: Origin;
    /**
     * What it says
     */
    payload: Payload;
    /**
     * Order of admission, across sessions
     */
    seq: number;
    /**
     * When it was admitted
     */
    createdAt: number;
    /**
     * Whether its admission is owed a wake
     */
    wakes: boolean;
};

/**
 * Another input was admitted under this id. Send this one with a new id.
 */
export type InputConflict = {
    _tag: 'InputConflict';
    /**
     * The id
     */
    inputID: string;
    message: string;
};

export type InputId = string;

/**
 * No such input waits: it was read, withdrawn, or never admitted. Nothing is left to do.
 */
export type InputNotFound = {
    _tag: 'InputNotFound';
    /**
     * The id that was asked for
     */
    inputID: string;
    message: string;
};

/**
 * Inputs, in the order in which they will be read.
 */
export type InputPage = {
    /**
     * As many as the page holds
     */
    items: Array<Input>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * Whether there was a turn to stop.
 */
export type Interrupted = {
    /**
     * False where no turn ran
     */
    interrupted: boolean;
};

/**
 * What became of every line: `linesRead = linesDelivered + linesSuppressed + linesPending`, always. Lines are cleaned and not blank. A clipped line is delivered, and counted besides.
 */
export type Ledger = {
    /**
     * Raw stdout
     */
    bytesRead: number;
    /**
     * Whole lines that were read
     */
    linesRead: number;
    /**
     * Admitted to the inbox
     */
    linesDelivered: number;
    /**
     * Passed a limit, or had no room
     */
    linesSuppressed: number;
    /**
     * Read and not yet admitted
     */
    linesPending: number;
    /**
     * Delivered, but without their ends
     */
    linesClipped: number;
    /**
     * What those ends held, in bytes
     */
    bytesClipped: number;
    /**
     * Batches; the notice is none
     */
    events: number;
};

/**
 * Lines that a monitor's command printed.
 */
export type Lines = {
    type: 'lines';
    /**
     * The monitor
     */
    source: Source;
    /**
     * Cleaned: without control characters, none of them blank, long ones clipped
     */
    lines: Array<string>;
};

/**
 * How much of a log there is, in bytes from the first one ever printed.
 */
export type LogState = {
    /**
     * The oldest byte that is kept
     */
    start: number;
    /**
     * All that was ever printed
     */
    size: number;
    /**
     * Why it could not be written, for a person
     */
    error?: string;
};

/**
 * What was said, and by whom. `role` tells which it is.
 */
export type Message = UserMessage | EventMessage | AssistantMessage | SummaryMessage;

/**
 * A message is as it will stay.
 */
export type MessageCompleted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'message.completed';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        message: Message;
    };
};

/**
 * A message was read, or the agent begins one.
 */
export type MessageCreated = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'message.created';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        message: Message;
    };
};

/**
 * Text of a part that streams. It has no place in the feed and is not kept.
 */
export type MessageDelta = {
    type: 'message.delta';
    sessionID: SessionId;
    messageID: MessageId;
    partID: PartId;
    /**
     * Where it begins in the part, in UTF-16 units
     */
    offset: number;
    /**
     * What is new
     */
    text: string;
};

export type MessageId = string;

/**
 * Messages, in order.
 */
export type MessagePage = {
    /**
     * As many as the page holds
     */
    items: Array<MessageWithParts>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * A message changed on its way.
 */
export type MessageUpdated = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'message.updated';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        message: Message;
    };
};

/**
 * A message with its place in the session and its parts; only an assistant's has any.
 */
export type MessageWithParts = {
    /**
     * The place: what `after` and `before` ask with
     */
    seq: number;
    message: Message;
    /**
     * In the order in which they began
     */
    parts: Array<Part>;
};

/**
 * Which providers can be asked, and what is missing for the others.
 */
export type ModelList = {
    /**
     * `provider/model` of sessions that name none
     */
    default?: string;
    /**
     * The file that says so
     */
    defaultFrom?: string;
    /**
     * Those that are known, and those that the configuration names
     */
    providers: Array<ProviderInfo>;
};

/**
 * A background command whose stdout lines become events.
 */
export type Monitor = {
    id: MonitorId;
    sessionID: SessionId;
    /**
     * The process behind it
     */
    shellID: string;
    /**
     * What it watches
     */
    source: MonitorSource;
    /**
     * Shown in every event
     */
    description: string;
    /**
     * When its events are read
     */
    delivery: Delivery;
    /**
     * Who wanted it
     */
    startedBy: 'agent' | 'user';
    /**
     * Of its process, while there is one
     */
    pid?: number;
    /**
     * `ended` is for good
     */
    status: 'running' | 'ended';
    /**
     * When it was started
     */
    startedAt: number;
    /**
     * Its deadline: it is stopped then
     */
    expiresAt: number;
    /**
     * When it ended
     */
    endedAt?: number;
    /**
     * Why it ended
     */
    reason?: EndReason;
    /**
     * Of its command, where that ended by itself
     */
    exitCode?: number;
    /**
     * What killed its command, for example `SIGTERM`
     */
    signal?: string;
    /**
     * What became of every line
     */
    ledger: Ledger;
    /**
     * Its kept output, which `monitor.output` reads
     */
    log: LogState;
    /**
     * The newest line, cleaned
     */
    lastLine?: string;
    /**
     * When something was printed last
     */
    lastOutputAt?: number;
    /**
     * Processes that could not be killed, or that a sweep killed after the end
     */
    survivors?: Array<number>;
    /**
     * What reading its events has cost
     */
    cost: Cost;
};

/**
 * Another monitor was started under this id. Start this one with a new id.
 */
export type MonitorConflict = {
    _tag: 'MonitorConflict';
    /**
     * The id
     */
    monitorID: string;
    message: string;
};

/**
 * A monitor ended, once and for good.
 */
export type MonitorEnded = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'monitor.ended';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        monitor: Monitor;
    };
};

export type MonitorId = string;

/**
 * A monitor's command printed lines, which the session is told.
 */
export type MonitorLines = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'monitor.event';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        monitorID: MonitorId;
        /**
         * Which of the monitor's events it is, from 1
         */
        seq: number;
        /**
         * What the session is told
         */
        lines: Array<string>;
        /**
         * With these lines in it
         */
        ledger: Ledger;
    };
};

/**
 * There is no such monitor here: it was removed, or is another session's. List the session's monitors.
 */
export type MonitorNotFound = {
    _tag: 'MonitorNotFound';
    /**
     * The id that was asked for
     */
    monitorID: string;
    message: string;
};

/**
 * Monitors, newest first.
 */
export type MonitorPage = {
    /**
     * As many as the page holds
     */
    items: Array<Monitor>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * A monitor that ended is no longer kept.
 */
export type MonitorRemoved = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'monitor.removed';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        monitorID: MonitorId;
    };
};

/**
 * What a monitor watches. Later there are more kinds.
 */
export type MonitorSource = {
    type: 'command';
    command: Command;
};

/**
 * A monitor was started.
 */
export type MonitorStarted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'monitor.started';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        monitor: Monitor;
    };
};

/**
 * What is told of a monitor changed.
 */
export type MonitorUpdated = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'monitor.updated';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        monitor: Monitor;
    };
};

/**
 * What a monitor is started with.
 */
export type NewMonitor = {
    /**
     * The same id twice is one monitor
     */
    id?: MonitorId;
    /**
     * Run by `bash -c`, or `sh -c` where bash is not, in the session's directory
     */
    command: Command;
    /**
     * Shown in every event
     */
    description: Description;
    /**
     * Its deadline, in ms; the configured one where it is absent
     */
    timeoutMs?: number;
    /**
     * When its events are read; `steer` where it is absent
     */
    delivery?: Delivery;
};

/**
 * What a session is created with.
 */
export type NewSession = {
    /**
     * Where it works: an existing directory of the server's machine
     */
    directory: AbsolutePath;
    /**
     * For lists
     */
    title?: string;
    /**
     * `provider/model`
     */
    model?: string;
    /**
     * Rules of this session alone, behind those of the configuration
     */
    rules?: Array<Rule>;
    /**
     * Nobody is there to answer asks: what would ask fails instead
     */
    unattended?: boolean;
    /**
     * What its commands run with; without it, the server's own
     */
    environment?: Environment;
};

/**
 * Which vigil.json is trusted, and with what text.
 */
export type NewTrust = {
    /**
     * The project's directory
     */
    directory: AbsolutePath;
    /**
     * The file as the user saw it: with another text it is not trusted
     */
    text: string;
};

/**
 * How something in the background ended.
 */
export type Notice = {
    type: 'notice';
    source: Source;
    /**
     * As the agent reads it
     */
    text: string;
};

/**
 * Who told it: the user, or what runs for the session.
 */
export type Origin = 'user' | 'monitor' | 'shell' | 'timer' | 'plugin';

/**
 * A page of a process's output. Cursors and sizes count bytes from the first one ever printed.
 */
export type OutputPage = {
    /**
     * Text, cut between characters
     */
    output: string;
    /**
     * Where the next page starts
     */
    cursor: number;
    /**
     * The oldest byte that is kept
     */
    start: number;
    /**
     * All that was ever printed
     */
    size: number;
    /**
     * What was asked for, or lies before this page, is no longer kept
     */
    truncated: boolean;
    /**
     * The process has ended: nothing more will come
     */
    ended: boolean;
};

/**
 * What an assistant's message is made of. `type` tells which it is.
 */
export type Part = TextPart | ReasoningPart | ToolPart;

/**
 * A part is as it will stay.
 */
export type PartCompleted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'part.completed';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        part: Part;
    };
};

/**
 * A part begins: its text follows as `message.delta`.
 */
export type PartCreated = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'part.created';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        part: Part;
    };
};

export type PartId = string;

/**
 * What an input says. `type` tells which it is.
 */
export type Payload = Prompt | Lines | Notice | Counts | Remark;

/**
 * A question waits for a person.
 */
export type PermissionAsked = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'permission.asked';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        ask: Ask;
    };
};

/**
 * Rules deny it, and nobody is asked. The message says which, and how to go on.
 */
export type PermissionDenied = {
    _tag: 'PermissionDenied';
    message: string;
    /**
     * What is denied
     */
    subjects: Array<Subject>;
};

/**
 * A question was answered, or withdrawn.
 */
export type PermissionReplied = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'permission.replied';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        askID: AskId;
        answer: Answer;
    };
};

export type PluginLimits = {
    /**
     * How long the setup of one plugin may take, in ms
     */
    setupMs: number;
    /**
     * How long a plugin may hold a tool call up, before it and after it, in ms
     */
    hookMs: number;
    /**
     * How long a plugin's tool may take, in ms
     */
    callMs: number;
};

/**
 * The user's words.
 */
export type Prompt = {
    type: 'prompt';
    text: string;
};

/**
 * A prompt.
 */
export type PromptDraft = {
    /**
     * The same id twice is one prompt
     */
    id?: InputId;
    /**
     * What the agent is to do, or to know
     */
    text: string;
    /**
     * When it is read; `steer` where it is absent
     */
    delivery?: Delivery;
};

/**
 * How a provider is asked for its models.
 */
export type ProviderConfig = {
    /**
     * The wire format; the provider's own where its name is `anthropic`, `openai` or `google`
     */
    format?: 'anthropic' | 'openai' | 'google' | 'openai-compatible';
    baseUrl?: string;
    apiKey?: string;
    /**
     * Name of the environment variable that holds the key
     */
    apiKeyEnv?: string;
    /**
     * Tokens that its models take, prompt and answer together, in place of what is known of them
     */
    contextWindow?: number;
    /**
     * Tokens that one answer may have, in place of the model's own bound
     */
    maxOutputTokens?: number;
};

/**
 * A provider, whether it can be asked for a model, and what it lacks.
 */
export type ProviderInfo = {
    /**
     * Its name, the first half of `provider/model`
     */
    provider: string;
    /**
     * It can be asked: an address is known, and a key where one is needed
     */
    usable: boolean;
    /**
     * The default model is one of its
     */
    default: boolean;
    /**
     * The wire format that it speaks
     */
    format?: string;
    /**
     * Without a password
     */
    baseUrl?: string;
    /**
     * `config`, `none`, `stored`, or the environment variable; never the key
     */
    keyFrom?: string;
    /**
     * What to do about it where it can't be asked
     */
    missing?: string;
    /**
     * As it lists them itself; only where that was asked for
     */
    models?: Array<string>;
    /**
     * Why it did not list them
     */
    failed?: string;
};

/**
 * What the model thought before it answered, as far as its provider tells.
 */
export type ReasoningPart = {
    id: PartId;
    /**
     * The message that it is a part of
     */
    messageID: MessageId;
    sessionID: SessionId;
    type: 'reasoning';
    /**
     * Empty where the provider keeps it to itself
     */
    text: string;
    /**
     * Ended well: only then it may be sent back
     */
    complete: boolean;
    /**
     * What a provider wants back with the part, as it gave it
     */
    metadata?: unknown;
};

/**
 * Something else that a session is told, for example by a plugin.
 */
export type Remark = {
    type: 'remark';
    source: Source;
    /**
     * As the agent reads it
     */
    text: string;
};

/**
 * What a person says to an ask.
 */
export type Reply = {
    /**
     * `once`: this time. `always`: also whatever the pattern of each subject fits, in this directory. `reject`: not at all
     */
    reply: 'once' | 'always' | 'reject';
    /**
     * For a rejection: the model reads it. Without one the turn ends
     */
    reason?: string;
};

/**
 * What the client asked for is not there. Read the state again; events after `seq` follow.
 */
export type Resync = {
    type: 'resync';
    /**
     * `forgotten`: older than what is kept. `ahead`: newer than the newest. `other_store`: of another state directory
     */
    reason: 'forgotten' | 'ahead' | 'other_store';
    /**
     * The newest event there is
     */
    seq: number;
};

export type RetryLimits = {
    /**
     * Times that a model request is tried again
     */
    attempts: number;
    /**
     * Longest time between two tries, in ms
     */
    maxDelayMs: number;
};

/**
 * Whether there was trust to take back.
 */
export type Revoked = {
    /**
     * False where the directory was not trusted
     */
    revoked: boolean;
};

/**
 * What happens to what a pattern fits. The last rule that matches decides.
 */
export type Rule = {
    /**
     * What it is about; `*` is any of them
     */
    action: 'shell' | 'edit' | 'read' | 'directory' | '*';
    /**
     * `*` stands for any characters, `\*` for a star itself; a final ` *` or `*` may also be absent
     */
    pattern: string;
    /**
     * What happens where it matches
     */
    effect: RuleEffect;
    /**
     * It may only make stricter what the rules before it say; every rule of a project that is not trusted is one
     */
    tightens?: boolean;
};

export type RuleEffect = 'allow' | 'ask' | 'deny';

/**
 * What was answered with `always`, in one directory.
 */
export type SavedAllow = {
    /**
     * What may be done
     */
    action: Action;
    /**
     * To what: `*` stands for any characters
     */
    pattern: string;
};

/**
 * What may be done in the directory without asking.
 */
export type SavedAllowPage = {
    /**
     * As many as the page holds
     */
    items: Array<SavedAllow>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * The server failed, and nothing that the client does mends it. Its log has the details under the id.
 */
export type ServerFault = {
    _tag: 'ServerFault';
    /**
     * What the log calls it
     */
    errorID: string;
    message: string;
};

/**
 * The server is stopping. Ask again when it is back.
 */
export type ServerStopping = {
    _tag: 'ServerStopping';
    message: string;
};

/**
 * A conversation in one directory.
 */
export type Session = {
    id: SessionId;
    /**
     * Absolute path
     */
    directory: string;
    /**
     * For lists
     */
    title?: string;
    /**
     * `provider/model`; the configured default where it is absent
     */
    model?: string;
    /**
     * Rules of this session alone, behind those of the configuration
     */
    rules: Array<Rule>;
    /**
     * Nobody is there to answer asks: what would ask fails instead
     */
    unattended: boolean;
    /**
     * Why events wait for the user's next prompt; absent where they do not
     */
    eventsHeld?: EventsHeld;
    /**
     * When it was created
     */
    createdAt: number;
    /**
     * When any of this changed last
     */
    updatedAt: number;
};

/**
 * What is to change; the rest stays.
 */
export type SessionChange = {
    /**
     * For lists
     */
    title?: string;
    /**
     * `provider/model`
     */
    model?: string;
    /**
     * In place of those there are
     */
    rules?: Array<Rule>;
    /**
     * Whether nobody is there to answer asks
     */
    unattended?: boolean;
};

/**
 * A session was created.
 */
export type SessionCreated = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'session.created';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        session: Session;
    };
};

/**
 * A session was deleted, with all that was kept of it.
 */
export type SessionDeleted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'session.deleted';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        sessionID: SessionId;
    };
};

export type SessionId = string;

/**
 * A session, what it is doing, and its newest turn.
 */
export type SessionInfo = {
    id: SessionId;
    /**
     * Absolute path
     */
    directory: string;
    /**
     * For lists
     */
    title?: string;
    /**
     * `provider/model`; the configured default where it is absent
     */
    model?: string;
    /**
     * Rules of this session alone, behind those of the configuration
     */
    rules: Array<Rule>;
    /**
     * Nobody is there to answer asks: what would ask fails instead
     */
    unattended: boolean;
    /**
     * Why events wait for the user's next prompt; absent where they do not
     */
    eventsHeld?: EventsHeld;
    /**
     * When it was created
     */
    createdAt: number;
    /**
     * When any of this changed last
     */
    updatedAt: number;
    /**
     * What it is doing
     */
    status: SessionStatus;
    /**
     * Without `endedAt` where it runs; absent before the first
     */
    turn?: Turn;
};

/**
 * There is no such session, or it was deleted. List sessions for those there are.
 */
export type SessionNotFound = {
    _tag: 'SessionNotFound';
    /**
     * The id that was asked for
     */
    sessionID: string;
    message: string;
};

/**
 * Sessions, newest first.
 */
export type SessionPage = {
    /**
     * As many as the page holds
     */
    items: Array<SessionInfo>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * `watching`: nothing to do, but monitors or background shells are active. `asking`: a permission ask waits.
 */
export type SessionStatus = 'idle' | 'running' | 'asking' | 'watching';

/**
 * A session changed: its title, its model, its rules.
 */
export type SessionUpdated = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'session.updated';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        session: Session;
    };
};

/**
 * A shell command: in the foreground of a turn, or in the background with one notification at its end.
 */
export type Shell = {
    id: ShellId;
    sessionID: SessionId;
    /**
     * As the agent wrote it
     */
    command: Command;
    /**
     * Its end is told to the session; otherwise a tool call waits for it
     */
    background: boolean;
    /**
     * Of its process, while there is one
     */
    pid?: number;
    /**
     * `ended` is for good
     */
    status: 'running' | 'ended';
    /**
     * When it was started
     */
    startedAt: number;
    /**
     * When it ended
     */
    endedAt?: number;
    /**
     * Why it ended
     */
    reason?: EndReason;
    /**
     * Of the command, where that ended by itself
     */
    exitCode?: number;
    /**
     * What killed it, for example `SIGTERM`
     */
    signal?: string;
    /**
     * Its kept output, which `shell.output` reads
     */
    log: LogState;
    /**
     * Processes that it left running. They die at stop, or with the server
     */
    survivors?: Array<number>;
};

/**
 * A shell ended, once and for good.
 */
export type ShellEnded = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'shell.ended';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        shell: Shell;
    };
};

export type ShellId = string;

/**
 * There is no such background shell here: it was removed, or is another session's. List the session's shells.
 */
export type ShellNotFound = {
    _tag: 'ShellNotFound';
    /**
     * The id that was asked for
     */
    shellID: string;
    message: string;
};

/**
 * Shells, newest first.
 */
export type ShellPage = {
    /**
     * As many as the page holds
     */
    items: Array<Shell>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * A shell that ended is no longer kept.
 */
export type ShellRemoved = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'shell.removed';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        shellID: ShellId;
    };
};

/**
 * A shell command was started.
 */
export type ShellStarted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'shell.started';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        shell: Shell;
    };
};

/**
 * What is told of a shell changed.
 */
export type ShellUpdated = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'shell.updated';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        shell: Shell;
    };
};

/**
 * Whose words an event carries: a monitor, a background shell, a plugin.
 */
export type Source = {
    /**
     * For example a monitor's
     */
    id: string;
    /**
     * As it was named when it began
     */
    description: string;
};

/**
 * The command could not be run at all. See that the session's directory and a shell are there.
 */
export type StartFailed = {
    _tag: 'StartFailed';
    message: string;
};

/**
 * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
 */
export type StrangerRefused = {
    _tag: 'StrangerRefused';
    /**
     * Which of them was foreign
     */
    header: 'host' | 'origin';
    message: string;
};

/**
 * One thing that is asked for: a part of a command, a file, a directory.
 */
export type Subject = {
    /**
     * What would be done
     */
    action: Action;
    /**
     * What is held against patterns
     */
    value: string;
    /**
     * What "always" would save
     */
    pattern: string;
    /**
     * It could not be taken apart: no wildcard but `*` alone allows it, only its own text
     */
    exact?: boolean;
};

/**
 * Stands, to the model alone, for what was said before it: all up to `through`, but for the prompt that it keeps. People still see everything.
 */
export type SummaryMessage = {
    sessionID: SessionId;
    /**
     * The turn in which it was read, or written
     */
    turnID: TurnId;
    /**
     * When it was read, or begun
     */
    createdAt: number;
    id: MessageId;
    role: 'summary';
    /**
     * By a model, of data that is not to be trusted
     */
    text: string;
    /**
     * The place of the last message that it stands for
     */
    through: number;
    /**
     * The place of the user's last prompt where that is among them: the model still reads it as it was
     */
    keeps?: number;
    /**
     * `provider/model`
     */
    model: string;
    /**
     * Of the request that made it
     */
    usage: Usage;
};

/**
 * What a session is told by anything but its user. `type` tells which it is.
 */
export type Synthetic = Lines | Notice | Counts | Remark;

/**
 * Text that the agent wrote.
 */
export type TextPart = {
    id: PartId;
    /**
     * The message that it is a part of
     */
    messageID: MessageId;
    sessionID: SessionId;
    type: 'text';
    /**
     * Empty until the part has ended
     */
    text: string;
    /**
     * What a provider wants back with the part, as it gave it
     */
    metadata?: unknown;
};

/**
 * Opens one feed, in place of the token, which must not stand in a URL.
 */
export type Ticket = {
    /**
     * For `ticket` of the feed's query, once
     */
    ticket: string;
    /**
     * When it opens nothing any more
     */
    expiresAt: number;
};

/**
 * The deadline is outside what is allowed; it is never clamped. Ask for one between `min` and `max`.
 */
export type TimeoutOutOfRange = {
    _tag: 'TimeoutOutOfRange';
    /**
     * What was asked for, in ms
     */
    timeoutMs: number;
    /**
     * The shortest, in ms
     */
    min: number;
    /**
     * The longest, in ms
     */
    max: number;
    message: string;
};

/**
 * The session, or the server, has as many active monitors as it may have. Stop one of them first.
 */
export type TooManyMonitors = {
    _tag: 'TooManyMonitors';
    /**
     * How many there may be
     */
    limit: number;
    /**
     * Whose limit it is
     */
    scope: 'session' | 'server';
    /**
     * Those that run
     */
    active: Array<{
        id: string;
        description: string;
    }>;
    message: string;
};

/**
 * A tool call, and what came of it.
 */
export type ToolPart = {
    id: PartId;
    /**
     * The message that it is a part of
     */
    messageID: MessageId;
    sessionID: SessionId;
    type: 'tool';
    /**
     * The provider's id of the call
     */
    callID: string;
    /**
     * The tool
     */
    name: string;
    /**
     * The model's JSON, as it wrote it
     */
    input: string;
    /**
     * `interrupted`: the turn was, or the server ended
     */
    status: ToolStatus;
    /**
     * What the model reads of the result
     */
    output?: string;
    /**
     * The result for clients; its shape is the tool's
     */
    structure?: unknown;
    /**
     * When the call began
     */
    startedAt: number;
    /**
     * When it had its result
     */
    endedAt?: number;
    /**
     * What a provider wants back with the part, as it gave it
     */
    metadata?: unknown;
};

/**
 * What became of a tool call so far.
 */
export type ToolStatus = 'running' | 'completed' | 'failed' | 'interrupted';

/**
 * A project whose vigil.json the user trusts, with exactly this text.
 */
export type TrustedDirectory = {
    /**
     * Absolute, without symbolic links
     */
    directory: string;
    /**
     * SHA-256 of the file's text
     */
    digest: string;
    /**
     * When it was trusted
     */
    trustedAt: number;
};

/**
 * Trusted projects, newest first.
 */
export type TrustedDirectoryPage = {
    /**
     * As many as the page holds
     */
    items: Array<TrustedDirectory>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * From a wake until the agent has nothing left to do.
 */
export type Turn = {
    id: TurnId;
    sessionID: SessionId;
    /**
     * When it was woken
     */
    startedAt: number;
    /**
     * Absent while it runs
     */
    endedAt?: number;
    /**
     * How it ended; absent while it runs
     */
    outcome?: TurnOutcome;
    /**
     * Why it failed, and what can be done about it
     */
    error?: string;
    /**
     * What was done to go on, and a person should know of
     */
    remark?: string;
    /**
     * Model requests that completed
     */
    steps: number;
    /**
     * Of these requests, and of those that made summaries. Absent where the server died in the turn
     */
    usage?: Usage;
};

/**
 * The agent has ended its turn, and how.
 */
export type TurnEnded = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'turn.ended';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        turn: Turn;
    };
};

export type TurnId = string;

/**
 * `rejected`: an ask was rejected without a reason. `server_stopped`: the server ended, orderly or not; the session is woken again where that is owed.
 */
export type TurnOutcome = 'completed' | 'interrupted' | 'failed' | 'rejected' | 'server_stopped';

/**
 * Turns, newest first.
 */
export type TurnPage = {
    /**
     * As many as the page holds
     */
    items: Array<Turn>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

/**
 * The agent begins to work.
 */
export type TurnStarted = {
    /**
     * Its place in the feed: it grows, is never used again, and may leave gaps
     */
    seq: number;
    /**
     * Of the event itself
     */
    id: string;
    type: 'turn.started';
    /**
     * The session that it is about
     */
    sessionID?: SessionId;
    /**
     * When it happened
     */
    created: number;
    data: {
        turn: Turn;
    };
};

/**
 * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
 */
export type Unauthorized = {
    _tag: 'Unauthorized';
    message: string;
};

/**
 * Tokens, of one model request or of several.
 */
export type Usage = {
    /**
     * What was sent, the cached part included
     */
    inputTokens: number;
    /**
     * What was answered, reasoning included
     */
    outputTokens: number;
    /**
     * What the provider had in its cache
     */
    cacheReadTokens: number;
};

/**
 * A prompt that was read. Its id is the input's.
 */
export type UserMessage = {
    sessionID: SessionId;
    /**
     * The turn in which it was read, or written
     */
    turnID: TurnId;
    /**
     * When it was read, or begun
     */
    createdAt: number;
    id: InputId;
    role: 'user';
    /**
     * The user's words
     */
    payload: Prompt;
};

/**
 * Whether the session came to what was waited for.
 */
export type Waited = {
    /**
     * False where the time was over before: ask again
     */
    reached: boolean;
};

export type ServerHealthData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/health';
};

export type ServerHealthErrors = {
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ServerHealthError = ServerHealthErrors[keyof ServerHealthErrors];

export type ServerHealthResponses = {
    /**
     * What answers, and for how long it has.
     */
    200: Health;
};

export type ServerHealthResponse = ServerHealthResponses[keyof ServerHealthResponses];

export type ServerTicketData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/ticket';
};

export type ServerTicketErrors = {
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ServerTicketError = ServerTicketErrors[keyof ServerTicketErrors];

export type ServerTicketResponses = {
    /**
     * Opens one feed, in place of the token, which must not stand in a URL.
     */
    200: Ticket;
};

export type ServerTicketResponse = ServerTicketResponses[keyof ServerTicketResponses];

export type SessionListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Sessions older than this one
         */
        after?: SessionId;
        /**
         * How many at most: 1 to 1000, 100 without it
         */
        limit?: number;
    };
    url: '/api/session';
};

export type SessionListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionListError = SessionListErrors[keyof SessionListErrors];

export type SessionListResponses = {
    /**
     * Sessions, newest first.
     */
    200: SessionPage;
};

export type SessionListResponse = SessionListResponses[keyof SessionListResponses];

export type SessionCreateData = {
    body: NewSession;
    path?: never;
    query?: never;
    url: '/api/session';
};

export type SessionCreateErrors = {
    /**
     * The directory is not there, or is none. Name an existing one of the server's machine by its absolute path. Or: A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: DirectoryNotFound | BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionCreateError = SessionCreateErrors[keyof SessionCreateErrors];

export type SessionCreateResponses = {
    /**
     * A session, what it is doing, and its newest turn.
     */
    200: SessionInfo;
};

export type SessionCreateResponse = SessionCreateResponses[keyof SessionCreateResponses];

export type SessionRemoveData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}';
};

export type SessionRemoveErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionRemoveError = SessionRemoveErrors[keyof SessionRemoveErrors];

export type SessionRemoveResponses = {
    /**
     * It is gone, and all that was kept of it.
     */
    204: void;
};

export type SessionRemoveResponse = SessionRemoveResponses[keyof SessionRemoveResponses];

export type SessionGetData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}';
};

export type SessionGetErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionGetError = SessionGetErrors[keyof SessionGetErrors];

export type SessionGetResponses = {
    /**
     * A session, what it is doing, and its newest turn.
     */
    200: SessionInfo;
};

export type SessionGetResponse = SessionGetResponses[keyof SessionGetResponses];

export type SessionUpdateData = {
    body: SessionChange;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}';
};

export type SessionUpdateErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionUpdateError = SessionUpdateErrors[keyof SessionUpdateErrors];

export type SessionUpdateResponses = {
    /**
     * A session, what it is doing, and its newest turn.
     */
    200: SessionInfo;
};

export type SessionUpdateResponse = SessionUpdateResponses[keyof SessionUpdateResponses];

export type SessionPromptData = {
    body: PromptDraft;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}/prompt';
};

export type SessionPromptErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * Another input was admitted under this id. Send this one with a new id.
     */
    409: InputConflict;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionPromptError = SessionPromptErrors[keyof SessionPromptErrors];

export type SessionPromptResponses = {
    /**
     * What a session was told and has not read yet.
     */
    200: Input;
};

export type SessionPromptResponse = SessionPromptResponses[keyof SessionPromptResponses];

export type SessionInterruptData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}/interrupt';
};

export type SessionInterruptErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionInterruptError = SessionInterruptErrors[keyof SessionInterruptErrors];

export type SessionInterruptResponses = {
    /**
     * Whether there was a turn to stop.
     */
    200: Interrupted;
};

export type SessionInterruptResponse = SessionInterruptResponses[keyof SessionInterruptResponses];

export type SessionWaitData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query: {
        /**
         * `idle`: nothing runs and nothing will by itself, rests included. `quiet`: besides, no monitor and no background shell is active
         */
        until: 'idle' | 'quiet';
        /**
         * How long to wait, in ms: 0 to 300000, 30000 without it
         */
        timeoutMs?: number;
    };
    url: '/api/session/{sessionID}/wait';
};

export type SessionWaitErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type SessionWaitError = SessionWaitErrors[keyof SessionWaitErrors];

export type SessionWaitResponses = {
    /**
     * Whether the session came to what was waited for.
     */
    200: Waited;
};

export type SessionWaitResponse = SessionWaitResponses[keyof SessionWaitResponses];

export type MessageListData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: {
        /**
         * Messages behind this place (`seq`)
         */
        after?: number;
        /**
         * The newest messages in front of this place, in order; `next` leads to older ones
         */
        before?: number;
        /**
         * How many at most: 1 to 1000, 100 without it
         */
        limit?: number;
    };
    url: '/api/session/{sessionID}/message';
};

export type MessageListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MessageListError = MessageListErrors[keyof MessageListErrors];

export type MessageListResponses = {
    /**
     * Messages, in order.
     */
    200: MessagePage;
};

export type MessageListResponse = MessageListResponses[keyof MessageListResponses];

export type TurnListData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: {
        /**
         * How many at most: 1 to 1000, 100 without it
         */
        limit?: number;
    };
    url: '/api/session/{sessionID}/turn';
};

export type TurnListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type TurnListError = TurnListErrors[keyof TurnListErrors];

export type TurnListResponses = {
    /**
     * Turns, newest first.
     */
    200: TurnPage;
};

export type TurnListResponse = TurnListResponses[keyof TurnListResponses];

export type InboxListData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}/inbox';
};

export type InboxListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type InboxListError = InboxListErrors[keyof InboxListErrors];

export type InboxListResponses = {
    /**
     * Inputs, in the order in which they will be read.
     */
    200: InputPage;
};

export type InboxListResponse = InboxListResponses[keyof InboxListResponses];

export type InboxWithdrawData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The input
         */
        inputID: InputId;
    };
    query?: never;
    url: '/api/session/{sessionID}/inbox/{inputID}';
};

export type InboxWithdrawErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are. Or: No such input waits: it was read, withdrawn, or never admitted. Nothing is left to do.
     */
    404: SessionNotFound | InputNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type InboxWithdrawError = InboxWithdrawErrors[keyof InboxWithdrawErrors];

export type InboxWithdrawResponses = {
    /**
     * What a session was told and has not read yet.
     */
    200: Input;
};

export type InboxWithdrawResponse = InboxWithdrawResponses[keyof InboxWithdrawResponses];

export type MonitorAllData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only those that run, or that have ended
         */
        status?: 'running' | 'ended';
    };
    url: '/api/monitor';
};

export type MonitorAllErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorAllError = MonitorAllErrors[keyof MonitorAllErrors];

export type MonitorAllResponses = {
    /**
     * Monitors, newest first.
     */
    200: MonitorPage;
};

export type MonitorAllResponse = MonitorAllResponses[keyof MonitorAllResponses];

export type MonitorFindData = {
    body?: never;
    path: {
        /**
         * The monitor, of whatever session
         */
        monitorID: MonitorId;
    };
    query?: never;
    url: '/api/monitor/{monitorID}';
};

export type MonitorFindErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such monitor here: it was removed, or is another session's. List the session's monitors.
     */
    404: MonitorNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorFindError = MonitorFindErrors[keyof MonitorFindErrors];

export type MonitorFindResponses = {
    /**
     * A background command whose stdout lines become events.
     */
    200: Monitor;
};

export type MonitorFindResponse = MonitorFindResponses[keyof MonitorFindResponses];

export type MonitorListData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor';
};

export type MonitorListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorListError = MonitorListErrors[keyof MonitorListErrors];

export type MonitorListResponses = {
    /**
     * Monitors, newest first.
     */
    200: MonitorPage;
};

export type MonitorListResponse = MonitorListResponses[keyof MonitorListResponses];

export type MonitorStartData = {
    body: NewMonitor;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor';
};

export type MonitorStartErrors = {
    /**
     * The deadline is outside what is allowed; it is never clamped. Ask for one between `min` and `max`. Or: A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: TimeoutOutOfRange | BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * Rules deny it, and nobody is asked. The message says which, and how to go on. Or: The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: PermissionDenied | StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * Another monitor was started under this id. Start this one with a new id. Or: The session, or the server, has as many active monitors as it may have. Stop one of them first.
     */
    409: MonitorConflict | TooManyMonitors;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The command could not be run at all. See that the session's directory and a shell are there.
     */
    422: StartFailed;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorStartError = MonitorStartErrors[keyof MonitorStartErrors];

export type MonitorStartResponses = {
    /**
     * A background command whose stdout lines become events.
     */
    200: Monitor;
};

export type MonitorStartResponse = MonitorStartResponses[keyof MonitorStartResponses];

export type MonitorStopAllData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor/stop';
};

export type MonitorStopAllErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorStopAllError = MonitorStopAllErrors[keyof MonitorStopAllErrors];

export type MonitorStopAllResponses = {
    /**
     * Monitors, newest first.
     */
    200: MonitorPage;
};

export type MonitorStopAllResponse = MonitorStopAllResponses[keyof MonitorStopAllResponses];

export type MonitorGetData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The monitor; another session's is not found
         */
        monitorID: MonitorId;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor/{monitorID}';
};

export type MonitorGetErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such monitor here: it was removed, or is another session's. List the session's monitors.
     */
    404: MonitorNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorGetError = MonitorGetErrors[keyof MonitorGetErrors];

export type MonitorGetResponses = {
    /**
     * A background command whose stdout lines become events.
     */
    200: Monitor;
};

export type MonitorGetResponse = MonitorGetResponses[keyof MonitorGetResponses];

export type MonitorStopData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The monitor; another session's is not found
         */
        monitorID: MonitorId;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor/{monitorID}/stop';
};

export type MonitorStopErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such monitor here: it was removed, or is another session's. List the session's monitors.
     */
    404: MonitorNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorStopError = MonitorStopErrors[keyof MonitorStopErrors];

export type MonitorStopResponses = {
    /**
     * A background command whose stdout lines become events.
     */
    200: Monitor;
};

export type MonitorStopResponse = MonitorStopResponses[keyof MonitorStopResponses];

export type MonitorOutputData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The monitor; another session's is not found
         */
        monitorID: MonitorId;
    };
    query?: {
        /**
         * The byte to begin at; without it the newest page. Past the end is empty, before `start` goes on at `start` with `truncated`
         */
        cursor?: number;
        /**
         * Bytes at most: 4 to 65536, cut between characters
         */
        limit?: number;
    };
    url: '/api/session/{sessionID}/monitor/{monitorID}/output';
};

export type MonitorOutputErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such monitor here: it was removed, or is another session's. List the session's monitors.
     */
    404: MonitorNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type MonitorOutputError = MonitorOutputErrors[keyof MonitorOutputErrors];

export type MonitorOutputResponses = {
    /**
     * A page of a process's output. Cursors and sizes count bytes from the first one ever printed.
     */
    200: OutputPage;
};

export type MonitorOutputResponse = MonitorOutputResponses[keyof MonitorOutputResponses];

export type ShellAllData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only those that run, or that have ended
         */
        status?: 'running' | 'ended';
    };
    url: '/api/shell';
};

export type ShellAllErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ShellAllError = ShellAllErrors[keyof ShellAllErrors];

export type ShellAllResponses = {
    /**
     * Shells, newest first.
     */
    200: ShellPage;
};

export type ShellAllResponse = ShellAllResponses[keyof ShellAllResponses];

export type ShellFindData = {
    body?: never;
    path: {
        /**
         * The shell, of whatever session
         */
        shellID: ShellId;
    };
    query?: never;
    url: '/api/shell/{shellID}';
};

export type ShellFindErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such background shell here: it was removed, or is another session's. List the session's shells.
     */
    404: ShellNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ShellFindError = ShellFindErrors[keyof ShellFindErrors];

export type ShellFindResponses = {
    /**
     * A shell command: in the foreground of a turn, or in the background with one notification at its end.
     */
    200: Shell;
};

export type ShellFindResponse = ShellFindResponses[keyof ShellFindResponses];

export type ShellListData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell';
};

export type ShellListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such session, or it was deleted. List sessions for those there are.
     */
    404: SessionNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ShellListError = ShellListErrors[keyof ShellListErrors];

export type ShellListResponses = {
    /**
     * Shells, newest first.
     */
    200: ShellPage;
};

export type ShellListResponse = ShellListResponses[keyof ShellListResponses];

export type ShellGetData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The background shell; another session's is not found
         */
        shellID: ShellId;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell/{shellID}';
};

export type ShellGetErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such background shell here: it was removed, or is another session's. List the session's shells.
     */
    404: ShellNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ShellGetError = ShellGetErrors[keyof ShellGetErrors];

export type ShellGetResponses = {
    /**
     * A shell command: in the foreground of a turn, or in the background with one notification at its end.
     */
    200: Shell;
};

export type ShellGetResponse = ShellGetResponses[keyof ShellGetResponses];

export type ShellStopData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The background shell; another session's is not found
         */
        shellID: ShellId;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell/{shellID}/stop';
};

export type ShellStopErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such background shell here: it was removed, or is another session's. List the session's shells.
     */
    404: ShellNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ShellStopError = ShellStopErrors[keyof ShellStopErrors];

export type ShellStopResponses = {
    /**
     * A shell command: in the foreground of a turn, or in the background with one notification at its end.
     */
    200: Shell;
};

export type ShellStopResponse = ShellStopResponses[keyof ShellStopResponses];

export type ShellBackgroundData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The background shell; another session's is not found
         */
        shellID: ShellId;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell/{shellID}/background';
};

export type ShellBackgroundErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such background shell here: it was removed, or is another session's. List the session's shells.
     */
    404: ShellNotFound;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ShellBackgroundError = ShellBackgroundErrors[keyof ShellBackgroundErrors];

export type ShellBackgroundResponses = {
    /**
     * A shell command: in the foreground of a turn, or in the background with one notification at its end.
     */
    200: Shell;
};

export type ShellBackgroundResponse = ShellBackgroundResponses[keyof ShellBackgroundResponses];

export type ShellOutputData = {
    body?: never;
    path: {
        /**
         * The session
         */
        sessionID: SessionId;
        /**
         * The background shell; another session's is not found
         */
        shellID: ShellId;
    };
    query?: {
        /**
         * The byte to begin at; without it the newest page. Past the end is empty, before `start` goes on at `start` with `truncated`
         */
        cursor?: number;
        /**
         * Bytes at most: 4 to 65536, cut between characters
         */
        limit?: number;
    };
    url: '/api/session/{sessionID}/shell/{shellID}/output';
};

export type ShellOutputErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * There is no such background shell here: it was removed, or is another session's. List the session's shells.
     */
    404: ShellNotFound;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ShellOutputError = ShellOutputErrors[keyof ShellOutputErrors];

export type ShellOutputResponses = {
    /**
     * A page of a process's output. Cursors and sizes count bytes from the first one ever printed.
     */
    200: OutputPage;
};

export type ShellOutputResponse = ShellOutputResponses[keyof ShellOutputResponses];

export type PermissionListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only this session's
         */
        session?: SessionId;
    };
    url: '/api/permission';
};

export type PermissionListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type PermissionListError = PermissionListErrors[keyof PermissionListErrors];

export type PermissionListResponses = {
    /**
     * Asks that wait, oldest first.
     */
    200: AskPage;
};

export type PermissionListResponse = PermissionListResponses[keyof PermissionListResponses];

export type PermissionReplyData = {
    body: Reply;
    path: {
        /**
         * The ask
         */
        askID: AskId;
    };
    query?: never;
    url: '/api/permission/{askID}/reply';
};

export type PermissionReplyErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * No such ask waits: it was answered or withdrawn some time ago. Nothing is left to do.
     */
    404: AskNotFound;
    /**
     * Somebody was faster, with another answer, which holds.
     */
    409: AskAnswered;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type PermissionReplyError = PermissionReplyErrors[keyof PermissionReplyErrors];

export type PermissionReplyResponses = {
    /**
     * The ask, and the answer that holds.
     */
    200: Answered;
};

export type PermissionReplyResponse = PermissionReplyResponses[keyof PermissionReplyResponses];

export type PermissionForgetData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The directory whose answers are meant
         */
        directory: AbsolutePath;
        /**
         * With `pattern`: one answer alone
         */
        action?: Action;
        /**
         * As the list has it; without it all of the directory's are taken back
         */
        pattern?: string;
    };
    url: '/api/permission/saved';
};

export type PermissionForgetErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type PermissionForgetError = PermissionForgetErrors[keyof PermissionForgetErrors];

export type PermissionForgetResponses = {
    /**
     * What may be done in the directory without asking.
     */
    200: SavedAllowPage;
};

export type PermissionForgetResponse = PermissionForgetResponses[keyof PermissionForgetResponses];

export type PermissionSavedData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The directory whose answers are meant
         */
        directory: AbsolutePath;
    };
    url: '/api/permission/saved';
};

export type PermissionSavedErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type PermissionSavedError = PermissionSavedErrors[keyof PermissionSavedErrors];

export type PermissionSavedResponses = {
    /**
     * What may be done in the directory without asking.
     */
    200: SavedAllowPage;
};

export type PermissionSavedResponse = PermissionSavedResponses[keyof PermissionSavedResponses];

export type TrustRevokeData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The directory
         */
        directory: AbsolutePath;
    };
    url: '/api/trust';
};

export type TrustRevokeErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type TrustRevokeError = TrustRevokeErrors[keyof TrustRevokeErrors];

export type TrustRevokeResponses = {
    /**
     * Whether there was trust to take back.
     */
    200: Revoked;
};

export type TrustRevokeResponse = TrustRevokeResponses[keyof TrustRevokeResponses];

export type TrustListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/trust';
};

export type TrustListErrors = {
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type TrustListError = TrustListErrors[keyof TrustListErrors];

export type TrustListResponses = {
    /**
     * Trusted projects, newest first.
     */
    200: TrustedDirectoryPage;
};

export type TrustListResponse = TrustListResponses[keyof TrustListResponses];

export type TrustAddData = {
    body: NewTrust;
    path?: never;
    query?: never;
    url: '/api/trust';
};

export type TrustAddErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The body is larger than the server takes. Send less.
     */
    413: BodyTooLarge;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type TrustAddError = TrustAddErrors[keyof TrustAddErrors];

export type TrustAddResponses = {
    /**
     * A project whose vigil.json the user trusts, with exactly this text.
     */
    200: TrustedDirectory;
};

export type TrustAddResponse = TrustAddResponses[keyof TrustAddResponses];

export type ModelListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Whose vigil.json counts besides the user's; without it the user's alone
         */
        directory?: AbsolutePath;
        /**
         * `true` asks each usable provider for its models, 10 seconds at most
         */
        remote?: boolean;
    };
    url: '/api/model';
};

export type ModelListErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * A configuration file can't be used. Mend what is wrong in it, and ask again.
     */
    422: ConfigInvalid;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ModelListError = ModelListErrors[keyof ModelListErrors];

export type ModelListResponses = {
    /**
     * Which providers can be asked, and what is missing for the others.
     */
    200: ModelList;
};

export type ModelListResponse = ModelListResponses[keyof ModelListResponses];

export type ConfigGetData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Whose vigil.json counts besides the user's; without it the user's alone
         */
        directory?: AbsolutePath;
    };
    url: '/api/config';
};

export type ConfigGetErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * A configuration file can't be used. Mend what is wrong in it, and ask again.
     */
    422: ConfigInvalid;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type ConfigGetError = ConfigGetErrors[keyof ConfigGetErrors];

export type ConfigGetResponses = {
    /**
     * What is in force, whose word each value is, and what a project's file says that does not count.
     */
    200: EffectiveConfig;
};

export type ConfigGetResponse = ConfigGetResponses[keyof ConfigGetResponses];

export type EventFollowData = {
    body?: never;
    headers?: {
        /**
         * The last event that was received: everything behind it follows. Goes before `after`
         */
        'last-event-id'?: number;
    };
    path?: never;
    query?: {
        /**
         * Only this session's events
         */
        session?: SessionId;
        /**
         * For a first read: a `Vigil-Seq`; everything behind it follows. Without it, what is new
         */
        after?: number;
        /**
         * The store whose position was asked for, as `connected` named it
         */
        store?: string;
        /**
         * In place of the token, for a browser's EventSource
         */
        ticket?: string;
    };
    url: '/api/event';
};

export type EventFollowErrors = {
    /**
     * A part of the request is not what it should be. Mend the field that is named, then send it again.
     */
    400: BadRequest;
    /**
     * The bearer token is missing or wrong. The server's is in the file `token` of its state directory.
     */
    401: Unauthorized;
    /**
     * The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin.
     */
    403: StrangerRefused;
    /**
     * The server failed, and nothing that the client does mends it. Its log has the details under the id.
     */
    500: ServerFault;
    /**
     * The server is stopping. Ask again when it is back.
     */
    503: ServerStopping;
};

export type EventFollowError = EventFollowErrors[keyof EventFollowErrors];

export type EventFollowResponses = {
    /**
     * A frame of the feed, by its `type`: an event, text that streams, or word about the connection.
     */
    200: FeedEvent;
};

export type EventFollowResponse = EventFollowResponses[keyof EventFollowResponses];
