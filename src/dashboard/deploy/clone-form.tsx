import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { connectSource } from '#contract/api/git.ts'
import { NEW_PROJECT_NODE_VERSION } from '#contract/api/node-versions.ts'
import { createProject, deleteProject, updateProject } from '#contract/api/project.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { Button, OutLink } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { TextField } from '../ui/field.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import type { DeployButton } from './deploy-button.ts'
import { nameFrom } from './selection.ts'

const SETTING_NAMES = {
  rootDirectory: 'Root directory',
  buildCommand: 'Build command',
  installCommand: 'Install command',
  outputDirectory: 'Output directory',
} as const

/** A new project from a repository, as the link of a deploy button asks for it. */
export function CloneForm({ button, onOther }: { button: DeployButton; onOther: () => void }) {
  const account = useAccount()
  const navigate = useNavigate()
  const [url, setUrl] = useState(button.url)
  const [name, setName] = useState(button.name)
  const [token, setToken] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const isSsh = /^(?:ssh:|[^/]+@)/.test(url)
  const clean = name.replace(/-+$/, '')
  const settings = {
    ...(button.rootDirectory !== '' && { rootDirectory: button.rootDirectory }),
    ...button.settings,
  }

  const create = useAction(
    async (_: undefined, { client }) => {
      const project = await client.call(createProject, {
        body: {
          name: clean,
          ...settings,
          ...(button.variables.length > 0 && {
            environmentVariables: button.variables.map((key) => ({
              key,
              value: values[key] ?? '',
              type: 'encrypted' as const,
              target: ['production' as const, 'preview' as const],
            })),
          }),
        },
      })
      const params = { idOrName: project.id }
      try {
        await client.call(updateProject, {
          params,
          body: {
            nodeVersion: NEW_PROJECT_NODE_VERSION,
            ...(button.branch !== '' && { productionBranch: button.branch }),
          },
        })
        return await client.call(connectSource, {
          params,
          body: { url: url.trim(), ...(token === '' || isSsh ? {} : { token }) },
        })
      } catch (error) {
        // Nothing is left of a project that has nothing to deploy, and the same name can be tried again.
        await client.call(deleteProject, { params }).catch(() => undefined)
        throw error
      }
    },
    {
      changes: ['project', 'env', 'push'],
      done: `${clean} created. Its first deployment is on the way.`,
      quiet: true,
    },
  )
  const open = () =>
    void navigate({
      to: '/a/$account/projects/$project/git',
      params: { account: account.slug, project: clean },
    })

  return (
    <form
      className="space-y-6"
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate(undefined, { onSuccess: ({ webhookSecret }) => webhookSecret ?? open() })
      }}
    >
      <Card
        title="Repository"
        about="Its code is built and run on this installation. Deploy only repositories that you trust."
        actions={
          <Button size="small" icon="refresh" onClick={onOther} disabled={create.isPending}>
            Choose something else
          </Button>
        }
      >
        <div className="grid gap-5 md:grid-cols-2">
          <TextField
            label="Repository URL"
            value={url}
            onChange={setUrl}
            required
            maxLength={1000}
            autoComplete="off"
            spellCheck={false}
            hint={
              isSsh
                ? 'The project gets a deploy key to add to the repository.'
                : button.branch === ''
                  ? undefined
                  : `Branch ${button.branch}`
            }
          />
          {!isSsh && (
            <TextField
              label="Access token (optional)"
              hint="Needed for private repositories; it only has to read the repository."
              type="password"
              value={token}
              onChange={setToken}
              maxLength={1000}
              autoComplete="off"
            />
          )}
        </div>
      </Card>
      {button.variables.length > 0 && (
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
                onChange={(value) => setValues((all) => ({ ...all, [key]: value }))}
                required
                maxLength={65_536}
                autoComplete="off"
                spellCheck={false}
              />
            ))}
          </div>
        </Card>
      )}
      <Card
        title="Project"
        footer={
          <>
            <span className="min-w-0 flex-1">
              In {account.name}. Deploys to production now, and again whenever the repository changes.
            </span>
            <Button type="submit" look="primary" icon="rocket" disabled={clean === '' || create.isPending}>
              {create.isPending ? 'Creating…' : 'Deploy'}
            </Button>
          </>
        }
      >
        <div className="space-y-5">
          <TextField
            label="Name"
            hint="Lowercase letters, digits and hyphens. Part of the URL."
            value={name}
            onChange={(text) => setName(nameFrom(text))}
            required
            disabled={create.isPending}
            autoComplete="off"
            spellCheck={false}
          />
          {Object.keys(settings).length > 0 && (
            <Facts
              facts={Object.entries(settings).map(([key, value]) => [
                SETTING_NAMES[key as keyof typeof SETTING_NAMES],
                <code key={key} className="break-all">
                  {value}
                </code>,
              ])}
            />
          )}
          {create.error && (
            <p role="alert" className="text-sm break-words text-bad">
              {explain(create.error)}
            </p>
          )}
        </div>
      </Card>
      {create.data?.webhookSecret !== undefined && (
        <ShownOnce
          title="Copy the webhook secret now"
          about="Changes of the repository are found within five minutes. To deploy them immediately, add the webhook URL of the Git page to the repository, with this secret. You won't be able to see it again."
          secret={create.data.webhookSecret}
          onClose={open}
        />
      )}
    </form>
  )
}
