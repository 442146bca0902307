import { ENV_TARGETS, type EnvTarget } from '#contract/api/env-variable.ts'
import { Checkbox } from '../../ui/control/field.tsx'
import type { Environment } from '../environment/environments.ts'
import { TARGET_LABELS } from './variables.ts'

/** Which deployments are given a variable. */
export function TargetBoxes({
  value,
  onChange,
  environments,
  without,
}: {
  /** Targets, and ids of environments. */
  value: readonly string[]
  onChange: (value: readonly string[]) => void
  environments: readonly Environment[]
  /** One that cannot be chosen. */
  without?: EnvTarget | undefined
}) {
  const places = [
    ...ENV_TARGETS.map((each) => ({ place: each as string, label: TARGET_LABELS[each] })),
    ...environments.map(({ id, slug }) => ({ place: id, label: slug })),
  ]
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Environments</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {places.map(({ place, label }) => (
          <Checkbox
            key={place}
            label={label}
            checked={value.includes(place) && place !== without}
            disabled={place === without}
            onChange={(on) => onChange([...value.filter((each) => each !== place), ...(on ? [place] : [])])}
          />
        ))}
      </div>
    </fieldset>
  )
}
