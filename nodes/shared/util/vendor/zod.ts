// The one place that names zod: the build bundles this file, so that nothing depends on the zod
// which the host carries. `zod/v4` would bring a console call that n8n's package scan refuses.
export { z } from 'zod/v3';
