import fc from 'fast-check';

/** Another one draws other values; without it, a test draws the same in every run. */
export const FC_SEED = Number(process.env.FC_SEED ?? 20_260_101);

fc.configureGlobal({ seed: FC_SEED });
