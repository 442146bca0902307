import type { ReadyState } from '#contract/api/deployment.ts'
import type { Colors } from '../output/output.ts'
import type { Tinted } from '../output/table.ts'

/** A state in the colour by which it is known at a glance, and with what else is to be said of it. */
export const stateText = (state: ReadyState, colors: Colors, more = ''): Tinted => ({
  text: `${state}${more}`,
  tint: state === 'READY' ? colors.green : state === 'ERROR' ? colors.red : colors.yellow,
})
