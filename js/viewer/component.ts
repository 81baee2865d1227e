// The component: what `endstate/viewer` exports.
export { mount } from './app';
