import { SETTINGS, type Setting } from './settings.ts'

/** The page about settings, from the same table. */
export const configDocs = (): string => `# Settings

Every setting has a default. Environment variables take precedence over \`aloft.config.json\` in the working
directory, which contains the same settings under their short names (\`{ "port": 8080 }\`). An invalid value
or an unknown name in the file prevents the start, with one line per mistake. The file has to belong to root, to the user
who runs Aloft or owns its program, or to the user who called \`sudo\`, and must not be writable by everyone.

| variable | in \`aloft.config.json\` | default | meaning |
|---|---|---|---|
${Object.entries<Setting<unknown>>(SETTINGS)
  .map(([name, s]) => {
    const unset = s.default ?? (s.usual === undefined ? 'none' : `\`${s.usual}\``)
    return `| \`${s.variable}\` | \`${name}\` | ${unset} | ${s.meaning} |`
  })
  .join('\n')}

This page is generated from the table in \`src/config/settings.ts\` by \`npm run docs\`; a test checks that it is up to date.
`
