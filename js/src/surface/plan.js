// The surface of the documents.
import { makeInstance } from './instance.js';

export function makeSurface(makeGlue, getModule) {
  const { guarded } = makeInstance(makeGlue, getModule, 'plan');
  return {
    readDocument: (kind, text, path, project) => guarded((g) => g.readDocument(kind, text, path, project)),
    planParse: (text, path) => guarded((g) => g.planParse(text, path)),
    planGraph: (text, path) => guarded((g) => g.planGraph(text, path)),
    planFormat: (text, path) => guarded((g) => g.planFormat(text, path)),
    planCriterion: (text) => guarded((g) => g.planCriterion(text)),
  };
}
