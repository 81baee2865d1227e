// Types of `endstate/plan`: documents that people write, understood without the engine.
import type { AgentDefinition, Feature, GridPlanDocument, PlanDocument, PlanRemark, ShownBy, SprintConfig, TaskDocument } from 'endstate-engine';

/**
 * A plan as people write it, understood: a task document (Markdown), a feature file (YAML) or an agent
 * definition (JSON), or a plan of a cluster (Markdown). What is read is ready for the settings of a mission.
 */
export declare function readDocument(kind: 'task', text: string): TaskDocument;
export declare function readDocument(kind: 'feature', text: string): Feature;
export declare function readDocument(kind: 'agent', text: string): AgentDefinition;
/** A plan of a cluster; the name of its file, `01-02-PLAN.md`, names it. */
export declare function readDocument(kind: 'plan', text: string, path?: string): GridPlanDocument;
/** The settings of a mission made of a written plan; its path from the root of the repository, and the project's name. */
export declare function readDocument(kind: 'sprint', text: string, path?: string, project?: string): SprintConfig;
/** Any YAML, with limits on its size, depth and aliases; its root is a mapping. */
export declare function readDocument(kind: 'yaml', text: string): Record<string, unknown>;

/**
 * A plan, read: canonical or of a known family, which `family` names. The name of the file helps to know the family. With
 * a `fault` among the remarks the plan cannot run as it is; a document of no family is thrown (`unknown_family`).
 */
export declare function planParse(text: string, path?: string): { family: string; plan: PlanDocument; remarks: PlanRemark[] };

/** The order of a plan: a circle, levels, the longest chain, bottlenecks, how many sprints may run at the same time. */
export declare function planGraph(text: string, path?: string): Record<string, unknown>;

/** The plan in the canonical grammar (docs/plan-format.md). */
export declare function planFormat(text: string, path?: string): string;

/** How a criterion in words is shown: the commands that are run, and whether a verifier judges its words. */
export declare function planCriterion(text: string): ShownBy;
