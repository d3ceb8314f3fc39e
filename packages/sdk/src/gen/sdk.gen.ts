// @ts-nocheck
// Generated from protocol/openapi.json; do not edit.

import { client } from './client.gen.ts';
import type { Client, ClientMeta, Options as Options2, RequestResult, ServerSentEventsResult, TDataShape } from './client/index.ts';
import type { ConfigGetData, ConfigGetErrors, ConfigGetResponses, EventFollowData, EventFollowErrors, EventFollowResponse, EventFollowResponses, InboxListData, InboxListErrors, InboxListResponses, InboxWithdrawData, InboxWithdrawErrors, InboxWithdrawResponses, MessageListData, MessageListErrors, MessageListResponses, ModelListData, ModelListErrors, ModelListResponses, MonitorAllData, MonitorAllErrors, MonitorAllResponses, MonitorFindData, MonitorFindErrors, MonitorFindResponses, MonitorGetData, MonitorGetErrors, MonitorGetResponses, MonitorListData, MonitorListErrors, MonitorListResponses, MonitorOutputData, MonitorOutputErrors, MonitorOutputResponses, MonitorStartData, MonitorStartErrors, MonitorStartResponses, MonitorStopAllData, MonitorStopAllErrors, MonitorStopAllResponses, MonitorStopData, MonitorStopErrors, MonitorStopResponses, PermissionForgetData, PermissionForgetErrors, PermissionForgetResponses, PermissionListData, PermissionListErrors, PermissionListResponses, PermissionReplyData, PermissionReplyErrors, PermissionReplyResponses, PermissionSavedData, PermissionSavedErrors, PermissionSavedResponses, ServerHealthData, ServerHealthErrors, ServerHealthResponses, ServerTicketData, ServerTicketErrors, ServerTicketResponses, SessionCreateData, SessionCreateErrors, SessionCreateResponses, SessionGetData, SessionGetErrors, SessionGetResponses, SessionInterruptData, SessionInterruptErrors, SessionInterruptResponses, SessionListData, SessionListErrors, SessionListResponses, SessionPromptData, SessionPromptErrors, SessionPromptResponses, SessionRemoveData, SessionRemoveErrors, SessionRemoveResponses, SessionUpdateData, SessionUpdateErrors, SessionUpdateResponses, SessionWaitData, SessionWaitErrors, SessionWaitResponses, ShellAllData, ShellAllErrors, ShellAllResponses, ShellBackgroundData, ShellBackgroundErrors, ShellBackgroundResponses, ShellFindData, ShellFindErrors, ShellFindResponses, ShellGetData, ShellGetErrors, ShellGetResponses, ShellListData, ShellListErrors, ShellListResponses, ShellOutputData, ShellOutputErrors, ShellOutputResponses, ShellStopData, ShellStopErrors, ShellStopResponses, TrustAddData, TrustAddErrors, TrustAddResponses, TrustListData, TrustListErrors, TrustListResponses, TrustRevokeData, TrustRevokeErrors, TrustRevokeResponses, TurnListData, TurnListErrors, TurnListResponses } from './types.gen.ts';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};

class HeyApiClient {
    protected client: Client;
    
    constructor(args?: {
        client?: Client;
    }) {
        this.client = args?.client ?? client;
    }
}

class HeyApiRegistry<T> {
    private readonly defaultKey = 'default';
    
    private readonly instances: Map<string, T> = new Map();
    
    get(key?: string): T {
        const instance = this.instances.get(key ?? this.defaultKey);
        if (!instance) {
            throw new Error(`No SDK client found. Create one with "new Vigil()" to fix this error.`);
        }
        return instance;
    }
    
    set(value: T, key?: string): void {
        this.instances.set(key ?? this.defaultKey, value);
    }
}

export class ServerOperations extends HeyApiClient {
    /**
     * Says that the server is there. Needs no token
     *
     * Says that the server is there. Needs no token.
     */
    public health<ThrowOnError extends boolean = false>(options?: Options<ServerHealthData, ThrowOnError>): RequestResult<ServerHealthResponses, ServerHealthErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<ServerHealthResponses, ServerHealthErrors, ThrowOnError>({ url: '/api/health', ...options });
    }
    
    /**
     * Returns a ticket that opens one feed within a minute, for a browser's EventSource
     *
     * Returns a ticket that opens one feed within a minute, for a browser's EventSource.
     */
    public ticket<ThrowOnError extends boolean = false>(options?: Options<ServerTicketData, ThrowOnError>): RequestResult<ServerTicketResponses, ServerTicketErrors, ThrowOnError> {
        return (options?.client ?? this.client).post<ServerTicketResponses, ServerTicketErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/ticket',
            ...options
        });
    }
}

export class SessionOperations extends HeyApiClient {
    /**
     * Lists sessions, newest first
     *
     * Lists sessions, newest first.
     */
    public list<ThrowOnError extends boolean = false>(options?: Options<SessionListData, ThrowOnError>): RequestResult<SessionListResponses, SessionListErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<SessionListResponses, SessionListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session',
            ...options
        });
    }
    
    /**
     * Creates a session in a directory of the server's machine
     *
     * Creates a session in a directory of the server's machine.
     */
    public create<ThrowOnError extends boolean = false>(options: Options<SessionCreateData, ThrowOnError>): RequestResult<SessionCreateResponses, SessionCreateErrors, ThrowOnError> {
        return (options.client ?? this.client).post<SessionCreateResponses, SessionCreateErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Deletes a session with all that runs in it and all that is kept of it
     *
     * Deletes a session with all that runs in it and all that is kept of it.
     */
    public remove<ThrowOnError extends boolean = false>(options: Options<SessionRemoveData, ThrowOnError>): RequestResult<SessionRemoveResponses, SessionRemoveErrors, ThrowOnError> {
        return (options.client ?? this.client).delete<SessionRemoveResponses, SessionRemoveErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}',
            ...options
        });
    }
    
    /**
     * Returns a session, what it is doing, and its newest turn
     *
     * Returns a session, what it is doing, and its newest turn.
     */
    public get<ThrowOnError extends boolean = false>(options: Options<SessionGetData, ThrowOnError>): RequestResult<SessionGetResponses, SessionGetErrors, ThrowOnError> {
        return (options.client ?? this.client).get<SessionGetResponses, SessionGetErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}',
            ...options
        });
    }
    
    /**
     * Changes what is given; a changed model lets waiting events be read again
     *
     * Changes what is given; a changed model lets waiting events be read again.
     */
    public update<ThrowOnError extends boolean = false>(options: Options<SessionUpdateData, ThrowOnError>): RequestResult<SessionUpdateResponses, SessionUpdateErrors, ThrowOnError> {
        return (options.client ?? this.client).patch<SessionUpdateResponses, SessionUpdateErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Admits a prompt and wakes the session. Answers before the agent does: follow the feed, or wait for idle
     *
     * Admits a prompt and wakes the session. Answers before the agent does: follow the feed, or wait for idle.
     */
    public prompt<ThrowOnError extends boolean = false>(options: Options<SessionPromptData, ThrowOnError>): RequestResult<SessionPromptResponses, SessionPromptErrors, ThrowOnError> {
        return (options.client ?? this.client).post<SessionPromptResponses, SessionPromptErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/prompt',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Stops the turn that runs, if one does. Monitors go on
     *
     * Stops the turn that runs, if one does. Monitors go on.
     */
    public interrupt<ThrowOnError extends boolean = false>(options: Options<SessionInterruptData, ThrowOnError>): RequestResult<SessionInterruptResponses, SessionInterruptErrors, ThrowOnError> {
        return (options.client ?? this.client).post<SessionInterruptResponses, SessionInterruptErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/interrupt',
            ...options
        });
    }
    
    /**
     * Answers once the session is idle or quiet, or when the time is over; then ask again
     *
     * Answers once the session is idle or quiet, or when the time is over; then ask again.
     */
    public wait<ThrowOnError extends boolean = false>(options: Options<SessionWaitData, ThrowOnError>): RequestResult<SessionWaitResponses, SessionWaitErrors, ThrowOnError> {
        return (options.client ?? this.client).get<SessionWaitResponses, SessionWaitErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/wait',
            ...options
        });
    }
}

export class MessageOperations extends HeyApiClient {
    /**
     * Returns what was said, in order, with the text of unfinished parts so far
     *
     * Returns what was said, in order, with the text of unfinished parts so far.
     */
    public list<ThrowOnError extends boolean = false>(options: Options<MessageListData, ThrowOnError>): RequestResult<MessageListResponses, MessageListErrors, ThrowOnError> {
        return (options.client ?? this.client).get<MessageListResponses, MessageListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/message',
            ...options
        });
    }
}

export class TurnOperations extends HeyApiClient {
    /**
     * Returns the newest turns, newest first: how each ended, and what it took
     *
     * Returns the newest turns, newest first: how each ended, and what it took.
     */
    public list<ThrowOnError extends boolean = false>(options: Options<TurnListData, ThrowOnError>): RequestResult<TurnListResponses, TurnListErrors, ThrowOnError> {
        return (options.client ?? this.client).get<TurnListResponses, TurnListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/turn',
            ...options
        });
    }
}

export class InboxOperations extends HeyApiClient {
    /**
     * Returns what the session was told and has not read yet, in order
     *
     * Returns what the session was told and has not read yet, in order.
     */
    public list<ThrowOnError extends boolean = false>(options: Options<InboxListData, ThrowOnError>): RequestResult<InboxListResponses, InboxListErrors, ThrowOnError> {
        return (options.client ?? this.client).get<InboxListResponses, InboxListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/inbox',
            ...options
        });
    }
    
    /**
     * Takes an input back that was not read yet
     *
     * Takes an input back that was not read yet.
     */
    public withdraw<ThrowOnError extends boolean = false>(options: Options<InboxWithdrawData, ThrowOnError>): RequestResult<InboxWithdrawResponses, InboxWithdrawErrors, ThrowOnError> {
        return (options.client ?? this.client).delete<InboxWithdrawResponses, InboxWithdrawErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/inbox/{inputID}',
            ...options
        });
    }
}

export class MonitorOperations extends HeyApiClient {
    /**
     * Lists the monitors of all sessions, newest first
     *
     * Lists the monitors of all sessions, newest first.
     */
    public all<ThrowOnError extends boolean = false>(options?: Options<MonitorAllData, ThrowOnError>): RequestResult<MonitorAllResponses, MonitorAllErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<MonitorAllResponses, MonitorAllErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/monitor',
            ...options
        });
    }
    
    /**
     * Returns a monitor of whatever session
     *
     * Returns a monitor of whatever session.
     */
    public find<ThrowOnError extends boolean = false>(options: Options<MonitorFindData, ThrowOnError>): RequestResult<MonitorFindResponses, MonitorFindErrors, ThrowOnError> {
        return (options.client ?? this.client).get<MonitorFindResponses, MonitorFindErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/monitor/{monitorID}',
            ...options
        });
    }
    
    /**
     * Lists a session's monitors, active and retained, newest first
     *
     * Lists a session's monitors, active and retained, newest first.
     */
    public list<ThrowOnError extends boolean = false>(options: Options<MonitorListData, ThrowOnError>): RequestResult<MonitorListResponses, MonitorListErrors, ThrowOnError> {
        return (options.client ?? this.client).get<MonitorListResponses, MonitorListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/monitor',
            ...options
        });
    }
    
    /**
     * Starts a monitor as the user: nobody is asked, but rules that deny still hold
     *
     * Starts a monitor as the user: nobody is asked, but rules that deny still hold.
     */
    public start<ThrowOnError extends boolean = false>(options: Options<MonitorStartData, ThrowOnError>): RequestResult<MonitorStartResponses, MonitorStartErrors, ThrowOnError> {
        return (options.client ?? this.client).post<MonitorStartResponses, MonitorStartErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/monitor',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Stops all of a session's monitors and returns those that it stopped
     *
     * Stops all of a session's monitors and returns those that it stopped.
     */
    public stopAll<ThrowOnError extends boolean = false>(options: Options<MonitorStopAllData, ThrowOnError>): RequestResult<MonitorStopAllResponses, MonitorStopAllErrors, ThrowOnError> {
        return (options.client ?? this.client).post<MonitorStopAllResponses, MonitorStopAllErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/monitor/stop',
            ...options
        });
    }
    
    /**
     * Returns one of a session's monitors
     *
     * Returns one of a session's monitors.
     */
    public get<ThrowOnError extends boolean = false>(options: Options<MonitorGetData, ThrowOnError>): RequestResult<MonitorGetResponses, MonitorGetErrors, ThrowOnError> {
        return (options.client ?? this.client).get<MonitorGetResponses, MonitorGetErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/monitor/{monitorID}',
            ...options
        });
    }
    
    /**
     * Stops a monitor and returns how it ended; again is the same answer
     *
     * Stops a monitor and returns how it ended; again is the same answer.
     */
    public stop<ThrowOnError extends boolean = false>(options: Options<MonitorStopData, ThrowOnError>): RequestResult<MonitorStopResponses, MonitorStopErrors, ThrowOnError> {
        return (options.client ?? this.client).post<MonitorStopResponses, MonitorStopErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/monitor/{monitorID}/stop',
            ...options
        });
    }
    
    /**
     * Returns a page of what its command printed, also after its end
     *
     * Returns a page of what its command printed, also after its end.
     */
    public output<ThrowOnError extends boolean = false>(options: Options<MonitorOutputData, ThrowOnError>): RequestResult<MonitorOutputResponses, MonitorOutputErrors, ThrowOnError> {
        return (options.client ?? this.client).get<MonitorOutputResponses, MonitorOutputErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/monitor/{monitorID}/output',
            ...options
        });
    }
}

export class ShellOperations extends HeyApiClient {
    /**
     * Lists the shells of all sessions, newest first
     *
     * Lists the shells of all sessions, newest first.
     */
    public all<ThrowOnError extends boolean = false>(options?: Options<ShellAllData, ThrowOnError>): RequestResult<ShellAllResponses, ShellAllErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<ShellAllResponses, ShellAllErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/shell',
            ...options
        });
    }
    
    /**
     * Returns a shell of whatever session
     *
     * Returns a shell of whatever session.
     */
    public find<ThrowOnError extends boolean = false>(options: Options<ShellFindData, ThrowOnError>): RequestResult<ShellFindResponses, ShellFindErrors, ThrowOnError> {
        return (options.client ?? this.client).get<ShellFindResponses, ShellFindErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/shell/{shellID}',
            ...options
        });
    }
    
    /**
     * Lists a session's shells, active and retained, newest first
     *
     * Lists a session's shells, active and retained, newest first.
     */
    public list<ThrowOnError extends boolean = false>(options: Options<ShellListData, ThrowOnError>): RequestResult<ShellListResponses, ShellListErrors, ThrowOnError> {
        return (options.client ?? this.client).get<ShellListResponses, ShellListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/shell',
            ...options
        });
    }
    
    /**
     * Returns one of a session's shells
     *
     * Returns one of a session's shells.
     */
    public get<ThrowOnError extends boolean = false>(options: Options<ShellGetData, ThrowOnError>): RequestResult<ShellGetResponses, ShellGetErrors, ThrowOnError> {
        return (options.client ?? this.client).get<ShellGetResponses, ShellGetErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/shell/{shellID}',
            ...options
        });
    }
    
    /**
     * Stops a shell, and what it left running; again is the same answer
     *
     * Stops a shell, and what it left running; again is the same answer.
     */
    public stop<ThrowOnError extends boolean = false>(options: Options<ShellStopData, ThrowOnError>): RequestResult<ShellStopResponses, ShellStopErrors, ThrowOnError> {
        return (options.client ?? this.client).post<ShellStopResponses, ShellStopErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/shell/{shellID}/stop',
            ...options
        });
    }
    
    /**
     * Moves a foreground command to the background, so that its turn goes on
     *
     * Moves a foreground command to the background, so that its turn goes on.
     */
    public background<ThrowOnError extends boolean = false>(options: Options<ShellBackgroundData, ThrowOnError>): RequestResult<ShellBackgroundResponses, ShellBackgroundErrors, ThrowOnError> {
        return (options.client ?? this.client).post<ShellBackgroundResponses, ShellBackgroundErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/shell/{shellID}/background',
            ...options
        });
    }
    
    /**
     * Returns a page of what it printed, also after its end
     *
     * Returns a page of what it printed, also after its end.
     */
    public output<ThrowOnError extends boolean = false>(options: Options<ShellOutputData, ThrowOnError>): RequestResult<ShellOutputResponses, ShellOutputErrors, ThrowOnError> {
        return (options.client ?? this.client).get<ShellOutputResponses, ShellOutputErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/session/{sessionID}/shell/{shellID}/output',
            ...options
        });
    }
}

export class PermissionOperations extends HeyApiClient {
    /**
     * Lists the asks that wait for an answer, oldest first
     *
     * Lists the asks that wait for an answer, oldest first.
     */
    public list<ThrowOnError extends boolean = false>(options?: Options<PermissionListData, ThrowOnError>): RequestResult<PermissionListResponses, PermissionListErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<PermissionListResponses, PermissionListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/permission',
            ...options
        });
    }
    
    /**
     * Answers an ask; the same answer again changes nothing
     *
     * Answers an ask; the same answer again changes nothing.
     */
    public reply<ThrowOnError extends boolean = false>(options: Options<PermissionReplyData, ThrowOnError>): RequestResult<PermissionReplyResponses, PermissionReplyErrors, ThrowOnError> {
        return (options.client ?? this.client).post<PermissionReplyResponses, PermissionReplyErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/permission/{askID}/reply',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Takes such answers back, and returns what is left
     *
     * Takes such answers back, and returns what is left.
     */
    public forget<ThrowOnError extends boolean = false>(options: Options<PermissionForgetData, ThrowOnError>): RequestResult<PermissionForgetResponses, PermissionForgetErrors, ThrowOnError> {
        return (options.client ?? this.client).delete<PermissionForgetResponses, PermissionForgetErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/permission/saved',
            ...options
        });
    }
    
    /**
     * Lists what was answered with "always" in a directory
     *
     * Lists what was answered with "always" in a directory.
     */
    public saved<ThrowOnError extends boolean = false>(options: Options<PermissionSavedData, ThrowOnError>): RequestResult<PermissionSavedResponses, PermissionSavedErrors, ThrowOnError> {
        return (options.client ?? this.client).get<PermissionSavedResponses, PermissionSavedErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/permission/saved',
            ...options
        });
    }
}

export class TrustOperations extends HeyApiClient {
    /**
     * Takes trust back; false where there was none
     *
     * Takes trust back; false where there was none.
     */
    public revoke<ThrowOnError extends boolean = false>(options: Options<TrustRevokeData, ThrowOnError>): RequestResult<TrustRevokeResponses, TrustRevokeErrors, ThrowOnError> {
        return (options.client ?? this.client).delete<TrustRevokeResponses, TrustRevokeErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/trust',
            ...options
        });
    }
    
    /**
     * Lists the directories whose vigil.json the user trusts, newest first
     *
     * Lists the directories whose vigil.json the user trusts, newest first.
     */
    public list<ThrowOnError extends boolean = false>(options?: Options<TrustListData, ThrowOnError>): RequestResult<TrustListResponses, TrustListErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<TrustListResponses, TrustListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/trust',
            ...options
        });
    }
    
    /**
     * Trusts a directory's vigil.json with exactly this text
     *
     * Trusts a directory's vigil.json with exactly this text.
     */
    public add<ThrowOnError extends boolean = false>(options: Options<TrustAddData, ThrowOnError>): RequestResult<TrustAddResponses, TrustAddErrors, ThrowOnError> {
        return (options.client ?? this.client).post<TrustAddResponses, TrustAddErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/trust',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class ModelOperations extends HeyApiClient {
    /**
     * Returns which providers can be asked, and what is missing for the others
     *
     * Returns which providers can be asked, and what is missing for the others.
     */
    public list<ThrowOnError extends boolean = false>(options?: Options<ModelListData, ThrowOnError>): RequestResult<ModelListResponses, ModelListErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<ModelListResponses, ModelListErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/model',
            ...options
        });
    }
}

export class ConfigOperations extends HeyApiClient {
    /**
     * Returns the settings that hold, and where each comes from
     *
     * Returns the settings that hold, and where each comes from.
     */
    public get<ThrowOnError extends boolean = false>(options?: Options<ConfigGetData, ThrowOnError>): RequestResult<ConfigGetResponses, ConfigGetErrors, ThrowOnError> {
        return (options?.client ?? this.client).get<ConfigGetResponses, ConfigGetErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/config',
            ...options
        });
    }
}

export class EventOperations extends HeyApiClient {
    /**
     * Follows what happens, without gap or repeat, as server-sent events
     *
     * Follows what happens, without gap or repeat, as server-sent events.
     */
    public follow<ThrowOnError extends boolean = false>(options?: Options<EventFollowData, ThrowOnError, EventFollowResponse>): Promise<ServerSentEventsResult<EventFollowResponses>> {
        return (options?.client ?? this.client).sse.get<EventFollowResponses, EventFollowErrors, ThrowOnError>({
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/event',
            ...options
        });
    }
}

export class Vigil extends HeyApiClient {
    public static readonly __registry: HeyApiRegistry<Vigil> = new HeyApiRegistry<Vigil>();
    
    constructor(args?: {
        client?: Client;
        key?: string;
    }) {
        super(args);
        Vigil.__registry.set(this, args?.key);
    }
    
    private _server?: ServerOperations;
    get server(): ServerOperations {
        return this._server ??= new ServerOperations({ client: this.client });
    }
    
    private _session?: SessionOperations;
    get session(): SessionOperations {
        return this._session ??= new SessionOperations({ client: this.client });
    }
    
    private _message?: MessageOperations;
    get message(): MessageOperations {
        return this._message ??= new MessageOperations({ client: this.client });
    }
    
    private _turn?: TurnOperations;
    get turn(): TurnOperations {
        return this._turn ??= new TurnOperations({ client: this.client });
    }
    
    private _inbox?: InboxOperations;
    get inbox(): InboxOperations {
        return this._inbox ??= new InboxOperations({ client: this.client });
    }
    
    private _monitor?: MonitorOperations;
    get monitor(): MonitorOperations {
        return this._monitor ??= new MonitorOperations({ client: this.client });
    }
    
    private _shell?: ShellOperations;
    get shell(): ShellOperations {
        return this._shell ??= new ShellOperations({ client: this.client });
    }
    
    private _permission?: PermissionOperations;
    get permission(): PermissionOperations {
        return this._permission ??= new PermissionOperations({ client: this.client });
    }
    
    private _trust?: TrustOperations;
    get trust(): TrustOperations {
        return this._trust ??= new TrustOperations({ client: this.client });
    }
    
    private _model?: ModelOperations;
    get model(): ModelOperations {
        return this._model ??= new ModelOperations({ client: this.client });
    }
    
    private _config?: ConfigOperations;
    get config(): ConfigOperations {
        return this._config ??= new ConfigOperations({ client: this.client });
    }
    
    private _event?: EventOperations;
    get event(): EventOperations {
        return this._event ??= new EventOperations({ client: this.client });
    }
}
