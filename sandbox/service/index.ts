export { createSandbox, type Sandbox } from './createSandbox';
export type { Controls, Failure, HandCallback, TaskView } from './admin/controls';
export { CHAT_PRICES, type ChatBillEntry, type ChatBillReport } from './chat/bill';
export type { ScriptedReply } from './chat/replies';
export type { Account, KeyOptions, KeyStatus } from './core/store/accounts';
export type { Attempt, Delivery, DeliveryKind, DeliveryState } from './core/deliveries/delivery';
export type { LedgerEntry, LedgerReport, TaskBill } from './core/store/ledger';
export type { RequestRecord } from './core/store/requests';
export type { Family } from './core/store/tasks';
export type { FaultEffect, FaultMatch, FaultRule, FaultRuleInput } from './core/faults/rule';
export type {
	OriginalGridOptions,
	OriginalVideoOptions,
	UploadedTrackOptions,
} from './admin/originals';
export type { DurationTable } from './core/tasks/durations';
export {
	SANDBOX_KEYS,
	type SandboxOptions,
	type Settings,
	type SettingsChange,
} from './core/options';
export { DIALECTS, type DialectName } from './core/dialects';
export { PRICES } from './core/prices';
export type { RequestFilter } from './core/store/requests';
export type { Clock } from './core/time/clock';
export { manualClock, type ManualClock } from './core/time/manualClock';
export { scaledClock, systemClock } from './core/time/realClocks';
