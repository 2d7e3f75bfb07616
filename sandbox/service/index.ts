export { createSandbox, type Sandbox } from './createSandbox';
export { CHAT_PRICES, type ChatBillEntry } from './chat/bill';
export type { ScriptedReply } from './chat/replies';
export type { FaultRuleInput } from './core/faults/rule';
export type { OriginalGridOptions, OriginalVideoOptions } from './admin/originals';
export { SANDBOX_KEYS, type SandboxOptions } from './core/options';
export { DIALECTS, type DialectName } from './core/dialects';
export { PRICES } from './core/prices';
export { manualClock, scaledClock, systemClock, type ManualClock } from './core/time/clocks';
