import { OutLink } from '../ui/control/button.tsx'
import { TextField } from '../ui/control/field.tsx'
import { Card } from '../ui/layout/card.tsx'
import type { DeployButton } from './deploy-button.ts'

/** The variables that the link of a deploy button asks for. */
export function AskedVariables({
  button,
  values,
  onChange,
}: {
  button: DeployButton
  values: Readonly<Record<string, string>>
  onChange: (key: string, value: string) => void
}) {
  return (
    <Card
      title="Environment variables"
      about={
        <>
          {button.about === '' ? 'The repository asks for these.' : button.about}
          {button.link !== '' && (
            <>
              {' '}
              <OutLink href={button.link} className="break-all text-accent hover:underline">
                {button.link}
              </OutLink>
            </>
          )}
        </>
      }
    >
      <div className="grid gap-5 md:grid-cols-2">
        {button.variables.map((key) => (
          <TextField
            key={key}
            label={key}
            mono
            value={values[key] ?? ''}
            onChange={(value) => onChange(key, value)}
            required
            maxLength={65_536}
            literal
          />
        ))}
      </div>
    </Card>
  )
}
