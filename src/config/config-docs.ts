import { SETTINGS } from './settings.ts'

/** The page about settings, from the same table. */
export const configDocs = (): string => `# Settings

Every setting has a default. Environment variables win over \`aloft.config.json\` in the working
directory, which holds the same settings under their short names (\`{ "port": 8080 }\`). A value that is
not accepted stops the start with one line for each mistake; so does an unknown name in the file.

| variable | in \`aloft.config.json\` | default | meaning |
|---|---|---|---|
${Object.entries(SETTINGS)
  .map(([name, s]) => `| \`${s.variable}\` | \`${name}\` | ${s.default} | ${s.meaning} |`)
  .join('\n')}

This page is made from the table in \`src/config/settings.ts\` by \`npm run docs\`, and a test keeps them equal.
`
