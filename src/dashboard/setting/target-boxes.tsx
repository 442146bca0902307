import { ENV_TARGETS, type EnvTarget } from '#contract/api/env-variable.ts'
import { Checkbox } from '../ui/field.tsx'
import { TARGET_LABELS } from './variables.ts'

/** Which deployments are given a variable. */
export const TargetBoxes = ({
  value,
  onChange,
  without,
}: {
  value: readonly EnvTarget[]
  onChange: (value: readonly EnvTarget[]) => void
  /** One that cannot be chosen. */
  without?: EnvTarget | undefined
}) => (
  <fieldset>
    <legend className="mb-1.5 text-sm font-medium">Environments</legend>
    <div className="flex flex-wrap gap-x-5 gap-y-2">
      {ENV_TARGETS.map((target) => (
        <Checkbox
          key={target}
          label={TARGET_LABELS[target]}
          checked={value.includes(target) && target !== without}
          disabled={target === without}
          onChange={(on) =>
            onChange(ENV_TARGETS.filter((each) => (each === target ? on : value.includes(each))))
          }
        />
      ))}
    </div>
  </fieldset>
)
