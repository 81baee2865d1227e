// Everything of the entry `.`: the engine, the driver on top of it, and a host in memory.

export * from 'endstate-engine';
export * from './agents/agent.js';
export { playInProcess, PROGRESS_EVERY, requestOf } from './agents/play.js';
export { isStructured, SESSION, Signs } from './agents/signs.js';
export type { Place } from './agents/play.js';
export { expectedAnswer, readAnswer } from './answer.js';
export { Driver } from './driver.js';
export type { DriverOptions, Ended, Happening, Observer } from './driver/happening.js';
export { effectOf, lostRun, startedRun } from './driver/made.js';
export { diagnostic, HostError, isEngineError, isHostError, problem, words } from './error.js';
export type { HostCode } from './error.js';
export * from './host.js';
export { consultHandler, memoryHost } from './memory.js';
export type { MemoryHost, MemoryHostOptions } from './memory.js';
export { answerMission, commandMission, createMission, Mission, openMission, peekMission } from './mission.js';
export type { CreateOptions, Glance, MissionQuestion, OpenOptions, RunOptions } from './mission.js';
export { noMission, open, prove, unproven } from './open.js';
export type { Opened, Report } from './open.js';
export { Stop, StopFlag } from './stop.js';
export { clip, lastOf, printable } from './text.js';
