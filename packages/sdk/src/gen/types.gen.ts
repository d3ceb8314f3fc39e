// @ts-nocheck
// Generated from protocol/openapi.json; do not edit.

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

export type AbsolutePath = string;

/**
 * The directory whose answers are meant
 */
export type AbsolutePath1 = string;

/**
 * The directory
 */
export type AbsolutePath2 = string;

/**
 * Whose vigil.json counts besides the user's; without it the user's alone
 */
export type AbsolutePath3 = string;

export type Action = 'shell' | 'edit' | 'read' | 'directory';

/**
 * With `pattern`: one answer alone
 */
export type Action1 = 'shell' | 'edit' | 'read' | 'directory';

export type Answer = 'once' | 'always' | 'reject' | 'withdrawn';

export type Answered = {
    askID: AskId;
    answer: Answer;
};

export type Ask = {
    id: AskId;
    sessionID: string;
    tool: string;
    callID?: string;
    title: string;
    subjects: Array<Subject>;
    createdAt: number;
};

export type AskAnswered = {
    _tag: 'AskAnswered';
    askID: string;
    answer: Answer;
    message: string;
};

export type AskId = string;

export type AskNotFound = {
    _tag: 'AskNotFound';
    askID: string;
    message: string;
};

export type AskPage = {
    items: Array<Ask>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type AssistantMessage = {
    sessionID: SessionId1;
    turnID: TurnId;
    createdAt: number;
    id: MessageId;
    role: 'assistant';
    model: string;
    status: 'streaming' | 'completed' | 'interrupted' | 'failed';
    error?: string;
    usage?: Usage;
    endedAt?: number;
};

export type BadRequest = {
    _tag: 'BadRequest';
    field: string;
    expected: string;
    message: string;
};

export type BodyTooLarge = {
    _tag: 'BodyTooLarge';
    maxBytes: number;
    message: string;
};

export type Command = string;

export type Config = {
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
        passEnv: Array<string>;
    };
    events: EventLimits;
    retry: RetryLimits;
    feed: FeedLimits;
    plugins: Array<string>;
    plugin: PluginLimits;
};

export type ConfigInvalid = {
    _tag: 'ConfigInvalid';
    file: string;
    problems: Array<ConfigProblem>;
    message: string;
};

export type ConfigProblem = {
    line: number;
    column: number;
    key: string;
    message: string;
};

export type Connected = {
    type: 'connected';
    storeID: string;
    seq: number;
};

export type Cost = {
    reads: number;
    inputTokens: number;
    outputTokens: number;
};

export type Counts = {
    type: 'counts';
    suppressed: Array<{
        source: Source;
        lines: number;
    }>;
};

export type Delivery = 'steer' | 'queue';

export type Description = string;

export type DirectoryNotFound = {
    _tag: 'DirectoryNotFound';
    directory: string;
    message: string;
};

export type EffectiveConfig = {
    config: Config;
    origins: {
        [key: string]: string;
    };
    ignored: Array<{
        file: string;
        key: string;
        reason: string;
    }>;
};

export type EndReason = 'exited' | 'expired' | 'cancelled' | 'rate_limit' | 'output_limit' | 'server_restarted' | 'session_deleted' | 'error' | 'max_events' | 'inactive' | 'closed' | 'superseded';

export type Environment = {
    [key: string]: string;
};

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

export type EventMessage = {
    sessionID: SessionId1;
    turnID: TurnId;
    createdAt: number;
    id: InputId;
    role: 'event';
    origin: Origin;
    payload: Synthetic;
};

export type EventsHeld = 'budget' | 'failure';

export type FeedEvent = Event | MessageDelta | Connected | Resync;

export type FeedLimits = {
    /**
     * Events kept for replay
     */
    keepEvents: number;
};

export type Health = {
    version: string;
    startedAt: number;
    storeID: string;
};

export type InboxAdmitted = {
    seq: number;
    id: string;
    type: 'inbox.admitted';
    sessionID?: SessionId1;
    created: number;
    data: {
        input: Input;
    };
};

export type InboxPromoted = {
    seq: number;
    id: string;
    type: 'inbox.promoted';
    sessionID?: SessionId1;
    created: number;
    data: {
        inputIDs: Array<InputId>;
    };
};

export type InboxWithdrawn = {
    seq: number;
    id: string;
    type: 'inbox.withdrawn';
    sessionID?: SessionId1;
    created: number;
    data: {
        inputIDs: Array<InputId>;
    };
};

export type Input = {
    id: InputId;
    sessionID: SessionId1;
    kind: 'prompt' | 'synthetic';
    delivery: Delivery;
    origin: Origin;
    payload: Payload;
    seq: number;
    createdAt: number;
    wakes: boolean;
};

export type InputConflict = {
    _tag: 'InputConflict';
    inputID: string;
    message: string;
};

export type InputId = string;

export type InputNotFound = {
    _tag: 'InputNotFound';
    inputID: string;
    message: string;
};

export type InputPage = {
    items: Array<Input>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type Interrupted = {
    interrupted: boolean;
};

export type Ledger = {
    bytesRead: number;
    linesRead: number;
    linesDelivered: number;
    linesSuppressed: number;
    linesPending: number;
    linesClipped: number;
    bytesClipped: number;
    events: number;
};

export type Lines = {
    type: 'lines';
    source: Source;
    lines: Array<string>;
};

export type LogState = {
    start: number;
    size: number;
    error?: string;
};

export type Message = UserMessage | EventMessage | AssistantMessage | SummaryMessage;

export type MessageCompleted = {
    seq: number;
    id: string;
    type: 'message.completed';
    sessionID?: SessionId1;
    created: number;
    data: {
        message: Message;
    };
};

export type MessageCreated = {
    seq: number;
    id: string;
    type: 'message.created';
    sessionID?: SessionId1;
    created: number;
    data: {
        message: Message;
    };
};

export type MessageDelta = {
    type: 'message.delta';
    sessionID: SessionId1;
    messageID: MessageId;
    partID: PartId;
    offset: number;
    text: string;
};

export type MessageId = string;

export type MessagePage = {
    items: Array<MessageWithParts>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type MessageUpdated = {
    seq: number;
    id: string;
    type: 'message.updated';
    sessionID?: SessionId1;
    created: number;
    data: {
        message: Message;
    };
};

export type MessageWithParts = {
    seq: number;
    message: Message;
    parts: Array<Part>;
};

export type ModelList = {
    default?: string;
    defaultFrom?: string;
    providers: Array<ProviderInfo>;
};

export type Monitor = {
    id: MonitorId;
    sessionID: SessionId1;
    shellID: string;
    source: MonitorSource;
    description: string;
    delivery: Delivery;
    startedBy: 'agent' | 'user';
    pid?: number;
    status: 'running' | 'ended';
    startedAt: number;
    expiresAt: number;
    endedAt?: number;
    reason?: EndReason;
    exitCode?: number;
    signal?: string;
    ledger: Ledger;
    log: LogState;
    lastLine?: string;
    lastOutputAt?: number;
    survivors?: Array<number>;
    cost: Cost;
};

export type MonitorConflict = {
    _tag: 'MonitorConflict';
    monitorID: string;
    message: string;
};

export type MonitorEnded = {
    seq: number;
    id: string;
    type: 'monitor.ended';
    sessionID?: SessionId1;
    created: number;
    data: {
        monitor: Monitor;
    };
};

export type MonitorId = string;

export type MonitorLines = {
    seq: number;
    id: string;
    type: 'monitor.event';
    sessionID?: SessionId1;
    created: number;
    data: {
        monitorID: MonitorId;
        seq: number;
        lines: Array<string>;
        ledger: Ledger;
    };
};

export type MonitorNotFound = {
    _tag: 'MonitorNotFound';
    monitorID: string;
    message: string;
};

export type MonitorPage = {
    items: Array<Monitor>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type MonitorRemoved = {
    seq: number;
    id: string;
    type: 'monitor.removed';
    sessionID?: SessionId1;
    created: number;
    data: {
        monitorID: MonitorId;
    };
};

export type MonitorSource = {
    type: 'command';
    command: Command;
};

export type MonitorStarted = {
    seq: number;
    id: string;
    type: 'monitor.started';
    sessionID?: SessionId1;
    created: number;
    data: {
        monitor: Monitor;
    };
};

export type MonitorUpdated = {
    seq: number;
    id: string;
    type: 'monitor.updated';
    sessionID?: SessionId1;
    created: number;
    data: {
        monitor: Monitor;
    };
};

export type NewMonitor = {
    id?: MonitorId;
    command: Command;
    description: Description;
    timeoutMs?: number;
    delivery?: Delivery;
};

export type NewSession = {
    directory: AbsolutePath;
    title?: string;
    model?: string;
    rules?: Array<Rule>;
    unattended?: boolean;
    environment?: Environment;
};

export type NewTrust = {
    directory: AbsolutePath;
    text: string;
};

export type Notice = {
    type: 'notice';
    source: Source;
    text: string;
};

export type Origin = 'user' | 'monitor' | 'shell' | 'timer' | 'plugin';

export type OutputPage = {
    output: string;
    cursor: number;
    start: number;
    size: number;
    truncated: boolean;
    ended: boolean;
};

export type Part = TextPart | ReasoningPart | ToolPart;

export type PartCompleted = {
    seq: number;
    id: string;
    type: 'part.completed';
    sessionID?: SessionId1;
    created: number;
    data: {
        part: Part;
    };
};

export type PartCreated = {
    seq: number;
    id: string;
    type: 'part.created';
    sessionID?: SessionId1;
    created: number;
    data: {
        part: Part;
    };
};

export type PartId = string;

export type Payload = Prompt | Lines | Notice | Counts | Remark;

export type PermissionAsked = {
    seq: number;
    id: string;
    type: 'permission.asked';
    sessionID?: SessionId1;
    created: number;
    data: {
        ask: Ask;
    };
};

export type PermissionDenied = {
    _tag: 'PermissionDenied';
    message: string;
    subjects: Array<Subject>;
};

export type PermissionReplied = {
    seq: number;
    id: string;
    type: 'permission.replied';
    sessionID?: SessionId1;
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

export type Prompt = {
    type: 'prompt';
    text: string;
};

export type PromptDraft = {
    id?: InputId;
    text: string;
    delivery?: Delivery;
};

export type ProviderConfig = {
    format?: 'anthropic' | 'openai' | 'google' | 'openai-compatible';
    baseUrl?: string;
    apiKey?: string;
    apiKeyEnv?: string;
    /**
     * Tokens that its models take
     */
    contextWindow?: number;
    /**
     * Tokens that one answer may have
     */
    maxOutputTokens?: number;
};

export type ProviderInfo = {
    provider: string;
    usable: boolean;
    default: boolean;
    format?: string;
    baseUrl?: string;
    keyFrom?: string;
    missing?: string;
    models?: Array<string>;
    failed?: string;
};

export type ReasoningPart = {
    id: PartId;
    messageID: MessageId;
    sessionID: SessionId1;
    type: 'reasoning';
    text: string;
    complete: boolean;
    metadata?: unknown;
};

export type Remark = {
    type: 'remark';
    source: Source;
    text: string;
};

export type Reply = {
    reply: 'once' | 'always' | 'reject';
    reason?: string;
};

export type Resync = {
    type: 'resync';
    reason: 'forgotten' | 'ahead' | 'other_store';
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

export type Revoked = {
    revoked: boolean;
};

export type Rule = {
    action: 'shell' | 'edit' | 'read' | 'directory' | '*';
    pattern: string;
    effect: RuleEffect;
    tightens?: boolean;
};

export type RuleEffect = 'allow' | 'ask' | 'deny';

export type SavedAllow = {
    action: Action;
    pattern: string;
};

export type SavedAllowPage = {
    items: Array<SavedAllow>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type ServerFault = {
    _tag: 'ServerFault';
    errorID: string;
    message: string;
};

export type ServerStopping = {
    _tag: 'ServerStopping';
    message: string;
};

export type Session = {
    id: SessionId1;
    directory: string;
    title?: string;
    model?: string;
    rules: Array<Rule>;
    unattended: boolean;
    eventsHeld?: EventsHeld;
    createdAt: number;
    updatedAt: number;
};

export type SessionChange = {
    title?: string;
    model?: string;
    rules?: Array<Rule>;
    unattended?: boolean;
};

export type SessionCreated = {
    seq: number;
    id: string;
    type: 'session.created';
    sessionID?: SessionId1;
    created: number;
    data: {
        session: Session;
    };
};

export type SessionDeleted = {
    seq: number;
    id: string;
    type: 'session.deleted';
    sessionID?: SessionId1;
    created: number;
    data: {
        sessionID: SessionId1;
    };
};

/**
 * Sessions older than this one
 */
export type SessionId = string;

export type SessionId1 = string;

/**
 * Only this session's
 */
export type SessionId2 = string;

/**
 * Only this session's events
 */
export type SessionId3 = string;

export type SessionInfo = {
    id: SessionId1;
    directory: string;
    title?: string;
    model?: string;
    rules: Array<Rule>;
    unattended: boolean;
    eventsHeld?: EventsHeld;
    createdAt: number;
    updatedAt: number;
    status: SessionStatus;
    turn?: Turn;
};

export type SessionNotFound = {
    _tag: 'SessionNotFound';
    sessionID: string;
    message: string;
};

export type SessionPage = {
    items: Array<SessionInfo>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type SessionStatus = 'idle' | 'running' | 'asking' | 'watching';

export type SessionUpdated = {
    seq: number;
    id: string;
    type: 'session.updated';
    sessionID?: SessionId1;
    created: number;
    data: {
        session: Session;
    };
};

export type Shell = {
    id: ShellId;
    sessionID: SessionId1;
    command: Command;
    background: boolean;
    pid?: number;
    status: 'running' | 'ended';
    startedAt: number;
    endedAt?: number;
    reason?: EndReason;
    exitCode?: number;
    signal?: string;
    log: LogState;
    survivors?: Array<number>;
};

export type ShellEnded = {
    seq: number;
    id: string;
    type: 'shell.ended';
    sessionID?: SessionId1;
    created: number;
    data: {
        shell: Shell;
    };
};

export type ShellId = string;

export type ShellNotFound = {
    _tag: 'ShellNotFound';
    shellID: string;
    message: string;
};

export type ShellPage = {
    items: Array<Shell>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type ShellRemoved = {
    seq: number;
    id: string;
    type: 'shell.removed';
    sessionID?: SessionId1;
    created: number;
    data: {
        shellID: ShellId;
    };
};

export type ShellStarted = {
    seq: number;
    id: string;
    type: 'shell.started';
    sessionID?: SessionId1;
    created: number;
    data: {
        shell: Shell;
    };
};

export type ShellUpdated = {
    seq: number;
    id: string;
    type: 'shell.updated';
    sessionID?: SessionId1;
    created: number;
    data: {
        shell: Shell;
    };
};

export type Source = {
    id: string;
    description: string;
};

export type StartFailed = {
    _tag: 'StartFailed';
    message: string;
};

export type StrangerRefused = {
    _tag: 'StrangerRefused';
    header: 'host' | 'origin';
    message: string;
};

export type Subject = {
    action: Action;
    value: string;
    pattern: string;
    exact?: boolean;
};

export type SummaryMessage = {
    sessionID: SessionId1;
    turnID: TurnId;
    createdAt: number;
    id: MessageId;
    role: 'summary';
    text: string;
    through: number;
    keeps?: number;
    model: string;
    usage: Usage;
};

export type Synthetic = Lines | Notice | Counts | Remark;

export type TextPart = {
    id: PartId;
    messageID: MessageId;
    sessionID: SessionId1;
    type: 'text';
    text: string;
    metadata?: unknown;
};

export type Ticket = {
    ticket: string;
    expiresAt: number;
};

export type TimeoutOutOfRange = {
    _tag: 'TimeoutOutOfRange';
    timeoutMs: number;
    min: number;
    max: number;
    message: string;
};

export type TooManyMonitors = {
    _tag: 'TooManyMonitors';
    limit: number;
    scope: 'session' | 'server';
    active: Array<{
        id: string;
        description: string;
    }>;
    message: string;
};

export type ToolPart = {
    id: PartId;
    messageID: MessageId;
    sessionID: SessionId1;
    type: 'tool';
    callID: string;
    name: string;
    input: string;
    status: ToolStatus;
    output?: string;
    structure?: unknown;
    startedAt: number;
    endedAt?: number;
    metadata?: unknown;
};

export type ToolStatus = 'running' | 'completed' | 'failed' | 'interrupted';

export type TrustedDirectory = {
    directory: string;
    digest: string;
    trustedAt: number;
};

export type TrustedDirectoryPage = {
    items: Array<TrustedDirectory>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type Turn = {
    id: TurnId;
    sessionID: SessionId1;
    startedAt: number;
    endedAt?: number;
    outcome?: TurnOutcome;
    error?: string;
    remark?: string;
    steps: number;
    usage?: Usage;
};

export type TurnEnded = {
    seq: number;
    id: string;
    type: 'turn.ended';
    sessionID?: SessionId1;
    created: number;
    data: {
        turn: Turn;
    };
};

export type TurnId = string;

export type TurnOutcome = 'completed' | 'interrupted' | 'failed' | 'rejected' | 'server_stopped';

export type TurnPage = {
    items: Array<Turn>;
    /**
     * Asks for the next page; absent on the last one
     */
    next?: string;
};

export type TurnStarted = {
    seq: number;
    id: string;
    type: 'turn.started';
    sessionID?: SessionId1;
    created: number;
    data: {
        turn: Turn;
    };
};

export type Unauthorized = {
    _tag: 'Unauthorized';
    message: string;
};

export type Usage = {
    inputTokens: number;
    outputTokens: number;
    cacheReadTokens: number;
};

export type UserMessage = {
    sessionID: SessionId1;
    turnID: TurnId;
    createdAt: number;
    id: InputId;
    role: 'user';
    payload: Prompt;
};

export type Waited = {
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
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ServerHealthError = ServerHealthErrors[keyof ServerHealthErrors];

export type ServerHealthResponses = {
    /**
     * Health
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
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ServerTicketError = ServerTicketErrors[keyof ServerTicketErrors];

export type ServerTicketResponses = {
    /**
     * Ticket
     */
    200: Ticket;
};

export type ServerTicketResponse = ServerTicketResponses[keyof ServerTicketResponses];

export type SessionListData = {
    body?: never;
    path?: never;
    query?: {
        after?: SessionId;
        limit?: string;
    };
    url: '/api/session';
};

export type SessionListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionListError = SessionListErrors[keyof SessionListErrors];

export type SessionListResponses = {
    /**
     * SessionPage
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
     * DirectoryNotFound | BadRequest
     */
    400: DirectoryNotFound | BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionCreateError = SessionCreateErrors[keyof SessionCreateErrors];

export type SessionCreateResponses = {
    /**
     * SessionInfo
     */
    200: SessionInfo;
};

export type SessionCreateResponse = SessionCreateResponses[keyof SessionCreateResponses];

export type SessionRemoveData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}';
};

export type SessionRemoveErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionRemoveError = SessionRemoveErrors[keyof SessionRemoveErrors];

export type SessionRemoveResponses = {
    /**
     * <No Content>
     */
    204: void;
};

export type SessionRemoveResponse = SessionRemoveResponses[keyof SessionRemoveResponses];

export type SessionGetData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}';
};

export type SessionGetErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionGetError = SessionGetErrors[keyof SessionGetErrors];

export type SessionGetResponses = {
    /**
     * SessionInfo
     */
    200: SessionInfo;
};

export type SessionGetResponse = SessionGetResponses[keyof SessionGetResponses];

export type SessionUpdateData = {
    body: SessionChange;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}';
};

export type SessionUpdateErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionUpdateError = SessionUpdateErrors[keyof SessionUpdateErrors];

export type SessionUpdateResponses = {
    /**
     * SessionInfo
     */
    200: SessionInfo;
};

export type SessionUpdateResponse = SessionUpdateResponses[keyof SessionUpdateResponses];

export type SessionPromptData = {
    body: PromptDraft;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}/prompt';
};

export type SessionPromptErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * InputConflict
     */
    409: InputConflict;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionPromptError = SessionPromptErrors[keyof SessionPromptErrors];

export type SessionPromptResponses = {
    /**
     * Input
     */
    200: Input;
};

export type SessionPromptResponse = SessionPromptResponses[keyof SessionPromptResponses];

export type SessionInterruptData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}/interrupt';
};

export type SessionInterruptErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionInterruptError = SessionInterruptErrors[keyof SessionInterruptErrors];

export type SessionInterruptResponses = {
    /**
     * Interrupted
     */
    200: Interrupted;
};

export type SessionInterruptResponse = SessionInterruptResponses[keyof SessionInterruptResponses];

export type SessionWaitData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query: {
        /**
         * `idle`: nothing runs and nothing will by itself, rests included. `quiet`: besides, no monitor and no background shell is active
         */
        until: 'idle' | 'quiet';
        timeoutMs?: string;
    };
    url: '/api/session/{sessionID}/wait';
};

export type SessionWaitErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type SessionWaitError = SessionWaitErrors[keyof SessionWaitErrors];

export type SessionWaitResponses = {
    /**
     * Waited
     */
    200: Waited;
};

export type SessionWaitResponse = SessionWaitResponses[keyof SessionWaitResponses];

export type MessageListData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: {
        after?: string;
        before?: string;
        limit?: string;
    };
    url: '/api/session/{sessionID}/message';
};

export type MessageListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MessageListError = MessageListErrors[keyof MessageListErrors];

export type MessageListResponses = {
    /**
     * MessagePage
     */
    200: MessagePage;
};

export type MessageListResponse = MessageListResponses[keyof MessageListResponses];

export type TurnListData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: {
        limit?: string;
    };
    url: '/api/session/{sessionID}/turn';
};

export type TurnListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type TurnListError = TurnListErrors[keyof TurnListErrors];

export type TurnListResponses = {
    /**
     * TurnPage
     */
    200: TurnPage;
};

export type TurnListResponse = TurnListResponses[keyof TurnListResponses];

export type InboxListData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}/inbox';
};

export type InboxListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type InboxListError = InboxListErrors[keyof InboxListErrors];

export type InboxListResponses = {
    /**
     * InputPage
     */
    200: InputPage;
};

export type InboxListResponse = InboxListResponses[keyof InboxListResponses];

export type InboxWithdrawData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        inputID: InputId;
    };
    query?: never;
    url: '/api/session/{sessionID}/inbox/{inputID}';
};

export type InboxWithdrawErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound | InputNotFound
     */
    404: SessionNotFound | InputNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type InboxWithdrawError = InboxWithdrawErrors[keyof InboxWithdrawErrors];

export type InboxWithdrawResponses = {
    /**
     * Input
     */
    200: Input;
};

export type InboxWithdrawResponse = InboxWithdrawResponses[keyof InboxWithdrawResponses];

export type MonitorAllData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only those
         */
        status?: 'running' | 'ended';
    };
    url: '/api/monitor';
};

export type MonitorAllErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorAllError = MonitorAllErrors[keyof MonitorAllErrors];

export type MonitorAllResponses = {
    /**
     * MonitorPage
     */
    200: MonitorPage;
};

export type MonitorAllResponse = MonitorAllResponses[keyof MonitorAllResponses];

export type MonitorFindData = {
    body?: never;
    path: {
        monitorID: MonitorId;
    };
    query?: never;
    url: '/api/monitor/{monitorID}';
};

export type MonitorFindErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * MonitorNotFound
     */
    404: MonitorNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorFindError = MonitorFindErrors[keyof MonitorFindErrors];

export type MonitorFindResponses = {
    /**
     * Monitor
     */
    200: Monitor;
};

export type MonitorFindResponse = MonitorFindResponses[keyof MonitorFindResponses];

export type MonitorListData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor';
};

export type MonitorListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorListError = MonitorListErrors[keyof MonitorListErrors];

export type MonitorListResponses = {
    /**
     * MonitorPage
     */
    200: MonitorPage;
};

export type MonitorListResponse = MonitorListResponses[keyof MonitorListResponses];

export type MonitorStartData = {
    body: NewMonitor;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor';
};

export type MonitorStartErrors = {
    /**
     * TimeoutOutOfRange | BadRequest
     */
    400: TimeoutOutOfRange | BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * PermissionDenied | StrangerRefused
     */
    403: PermissionDenied | StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * MonitorConflict | TooManyMonitors
     */
    409: MonitorConflict | TooManyMonitors;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * StartFailed
     */
    422: StartFailed;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorStartError = MonitorStartErrors[keyof MonitorStartErrors];

export type MonitorStartResponses = {
    /**
     * Monitor
     */
    200: Monitor;
};

export type MonitorStartResponse = MonitorStartResponses[keyof MonitorStartResponses];

export type MonitorStopAllData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor/stop';
};

export type MonitorStopAllErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorStopAllError = MonitorStopAllErrors[keyof MonitorStopAllErrors];

export type MonitorStopAllResponses = {
    /**
     * MonitorPage
     */
    200: MonitorPage;
};

export type MonitorStopAllResponse = MonitorStopAllResponses[keyof MonitorStopAllResponses];

export type MonitorGetData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        monitorID: MonitorId;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor/{monitorID}';
};

export type MonitorGetErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * MonitorNotFound
     */
    404: MonitorNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorGetError = MonitorGetErrors[keyof MonitorGetErrors];

export type MonitorGetResponses = {
    /**
     * Monitor
     */
    200: Monitor;
};

export type MonitorGetResponse = MonitorGetResponses[keyof MonitorGetResponses];

export type MonitorStopData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        monitorID: MonitorId;
    };
    query?: never;
    url: '/api/session/{sessionID}/monitor/{monitorID}/stop';
};

export type MonitorStopErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * MonitorNotFound
     */
    404: MonitorNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorStopError = MonitorStopErrors[keyof MonitorStopErrors];

export type MonitorStopResponses = {
    /**
     * Monitor
     */
    200: Monitor;
};

export type MonitorStopResponse = MonitorStopResponses[keyof MonitorStopResponses];

export type MonitorOutputData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        monitorID: MonitorId;
    };
    query?: {
        cursor?: string;
        limit?: string;
    };
    url: '/api/session/{sessionID}/monitor/{monitorID}/output';
};

export type MonitorOutputErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * MonitorNotFound
     */
    404: MonitorNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type MonitorOutputError = MonitorOutputErrors[keyof MonitorOutputErrors];

export type MonitorOutputResponses = {
    /**
     * OutputPage
     */
    200: OutputPage;
};

export type MonitorOutputResponse = MonitorOutputResponses[keyof MonitorOutputResponses];

export type ShellAllData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only those
         */
        status?: 'running' | 'ended';
    };
    url: '/api/shell';
};

export type ShellAllErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ShellAllError = ShellAllErrors[keyof ShellAllErrors];

export type ShellAllResponses = {
    /**
     * ShellPage
     */
    200: ShellPage;
};

export type ShellAllResponse = ShellAllResponses[keyof ShellAllResponses];

export type ShellFindData = {
    body?: never;
    path: {
        shellID: ShellId;
    };
    query?: never;
    url: '/api/shell/{shellID}';
};

export type ShellFindErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * ShellNotFound
     */
    404: ShellNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ShellFindError = ShellFindErrors[keyof ShellFindErrors];

export type ShellFindResponses = {
    /**
     * Shell
     */
    200: Shell;
};

export type ShellFindResponse = ShellFindResponses[keyof ShellFindResponses];

export type ShellListData = {
    body?: never;
    path: {
        sessionID: SessionId1;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell';
};

export type ShellListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * SessionNotFound
     */
    404: SessionNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ShellListError = ShellListErrors[keyof ShellListErrors];

export type ShellListResponses = {
    /**
     * ShellPage
     */
    200: ShellPage;
};

export type ShellListResponse = ShellListResponses[keyof ShellListResponses];

export type ShellGetData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        shellID: ShellId;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell/{shellID}';
};

export type ShellGetErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * ShellNotFound
     */
    404: ShellNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ShellGetError = ShellGetErrors[keyof ShellGetErrors];

export type ShellGetResponses = {
    /**
     * Shell
     */
    200: Shell;
};

export type ShellGetResponse = ShellGetResponses[keyof ShellGetResponses];

export type ShellStopData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        shellID: ShellId;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell/{shellID}/stop';
};

export type ShellStopErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * ShellNotFound
     */
    404: ShellNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ShellStopError = ShellStopErrors[keyof ShellStopErrors];

export type ShellStopResponses = {
    /**
     * Shell
     */
    200: Shell;
};

export type ShellStopResponse = ShellStopResponses[keyof ShellStopResponses];

export type ShellBackgroundData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        shellID: ShellId;
    };
    query?: never;
    url: '/api/session/{sessionID}/shell/{shellID}/background';
};

export type ShellBackgroundErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * ShellNotFound
     */
    404: ShellNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ShellBackgroundError = ShellBackgroundErrors[keyof ShellBackgroundErrors];

export type ShellBackgroundResponses = {
    /**
     * Shell
     */
    200: Shell;
};

export type ShellBackgroundResponse = ShellBackgroundResponses[keyof ShellBackgroundResponses];

export type ShellOutputData = {
    body?: never;
    path: {
        sessionID: SessionId1;
        shellID: ShellId;
    };
    query?: {
        cursor?: string;
        limit?: string;
    };
    url: '/api/session/{sessionID}/shell/{shellID}/output';
};

export type ShellOutputErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * ShellNotFound
     */
    404: ShellNotFound;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ShellOutputError = ShellOutputErrors[keyof ShellOutputErrors];

export type ShellOutputResponses = {
    /**
     * OutputPage
     */
    200: OutputPage;
};

export type ShellOutputResponse = ShellOutputResponses[keyof ShellOutputResponses];

export type PermissionListData = {
    body?: never;
    path?: never;
    query?: {
        session?: SessionId2;
    };
    url: '/api/permission';
};

export type PermissionListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type PermissionListError = PermissionListErrors[keyof PermissionListErrors];

export type PermissionListResponses = {
    /**
     * AskPage
     */
    200: AskPage;
};

export type PermissionListResponse = PermissionListResponses[keyof PermissionListResponses];

export type PermissionReplyData = {
    body: Reply;
    path: {
        askID: AskId;
    };
    query?: never;
    url: '/api/permission/{askID}/reply';
};

export type PermissionReplyErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * AskNotFound
     */
    404: AskNotFound;
    /**
     * AskAnswered
     */
    409: AskAnswered;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type PermissionReplyError = PermissionReplyErrors[keyof PermissionReplyErrors];

export type PermissionReplyResponses = {
    /**
     * Answered
     */
    200: Answered;
};

export type PermissionReplyResponse = PermissionReplyResponses[keyof PermissionReplyResponses];

export type PermissionForgetData = {
    body?: never;
    path?: never;
    query: {
        directory: AbsolutePath1;
        action?: Action1;
        /**
         * As the list has it; without it all of the directory's are taken back
         */
        pattern?: string;
    };
    url: '/api/permission/saved';
};

export type PermissionForgetErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type PermissionForgetError = PermissionForgetErrors[keyof PermissionForgetErrors];

export type PermissionForgetResponses = {
    /**
     * SavedAllowPage
     */
    200: SavedAllowPage;
};

export type PermissionForgetResponse = PermissionForgetResponses[keyof PermissionForgetResponses];

export type PermissionSavedData = {
    body?: never;
    path?: never;
    query: {
        directory: AbsolutePath1;
    };
    url: '/api/permission/saved';
};

export type PermissionSavedErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type PermissionSavedError = PermissionSavedErrors[keyof PermissionSavedErrors];

export type PermissionSavedResponses = {
    /**
     * SavedAllowPage
     */
    200: SavedAllowPage;
};

export type PermissionSavedResponse = PermissionSavedResponses[keyof PermissionSavedResponses];

export type TrustRevokeData = {
    body?: never;
    path?: never;
    query: {
        directory: AbsolutePath2;
    };
    url: '/api/trust';
};

export type TrustRevokeErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type TrustRevokeError = TrustRevokeErrors[keyof TrustRevokeErrors];

export type TrustRevokeResponses = {
    /**
     * Revoked
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
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type TrustListError = TrustListErrors[keyof TrustListErrors];

export type TrustListResponses = {
    /**
     * TrustedDirectoryPage
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
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type TrustAddError = TrustAddErrors[keyof TrustAddErrors];

export type TrustAddResponses = {
    /**
     * TrustedDirectory
     */
    200: TrustedDirectory;
};

export type TrustAddResponse = TrustAddResponses[keyof TrustAddResponses];

export type ModelListData = {
    body?: never;
    path?: never;
    query?: {
        directory?: AbsolutePath3;
        /**
         * `true` asks each usable provider for its models, 10 seconds at most
         */
        remote?: 'true' | 'false';
    };
    url: '/api/model';
};

export type ModelListErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ConfigInvalid
     */
    422: ConfigInvalid;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ModelListError = ModelListErrors[keyof ModelListErrors];

export type ModelListResponses = {
    /**
     * ModelList
     */
    200: ModelList;
};

export type ModelListResponse = ModelListResponses[keyof ModelListResponses];

export type ConfigGetData = {
    body?: never;
    path?: never;
    query?: {
        directory?: AbsolutePath3;
    };
    url: '/api/config';
};

export type ConfigGetErrors = {
    /**
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ConfigInvalid
     */
    422: ConfigInvalid;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type ConfigGetError = ConfigGetErrors[keyof ConfigGetErrors];

export type ConfigGetResponses = {
    /**
     * EffectiveConfig
     */
    200: EffectiveConfig;
};

export type ConfigGetResponse = ConfigGetResponses[keyof ConfigGetResponses];

export type EventFollowData = {
    body?: never;
    headers?: {
        'last-event-id'?: string;
    };
    path?: never;
    query?: {
        session?: SessionId3;
        after?: string;
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
     * BadRequest
     */
    400: BadRequest;
    /**
     * Unauthorized
     */
    401: Unauthorized;
    /**
     * StrangerRefused
     */
    403: StrangerRefused;
    /**
     * BodyTooLarge
     */
    413: BodyTooLarge;
    /**
     * ServerFault
     */
    500: ServerFault;
    /**
     * ServerStopping
     */
    503: ServerStopping;
};

export type EventFollowError = EventFollowErrors[keyof EventFollowErrors];

export type EventFollowResponses = {
    /**
     * Success
     */
    200: FeedEvent;
};

export type EventFollowResponse = EventFollowResponses[keyof EventFollowResponses];
