import type { Framework } from '#contract/api/project.ts'

/** What a framework does unless told otherwise, to be shown where nothing is set. */
interface Preset {
  readonly name: string
  readonly build: string
  readonly output: string
  readonly dev: string
}

export const PRESETS: Readonly<Record<Framework, Preset>> = {
  blitzjs: {
    name: 'Blitz.js (Legacy)',
    build: 'npm run build or blitz build',
    output: 'Next.js default',
    dev: 'blitz start',
  },
  nextjs: { name: 'Next.js', build: 'npm run build or next build', output: 'Next.js default', dev: 'next' },
  gatsby: {
    name: 'Gatsby.js',
    build: 'npm run build or gatsby build',
    output: 'public',
    dev: 'gatsby develop',
  },
  remix: { name: 'Remix', build: 'npm run build or remix build', output: 'public', dev: 'remix dev' },
  astro: { name: 'Astro', build: 'npm run build or astro build', output: 'dist', dev: 'astro dev' },
  hexo: { name: 'Hexo', build: 'npm run build or hexo generate', output: 'public', dev: 'hexo server' },
  eleventy: {
    name: 'Eleventy',
    build: 'npm run build or npx @11ty/eleventy',
    output: '_site',
    dev: 'npx @11ty/eleventy --serve',
  },
  'docusaurus-2': {
    name: 'Docusaurus (v2+)',
    build: 'npm run build or docusaurus build',
    output: 'build',
    dev: 'docusaurus start',
  },
  docusaurus: {
    name: 'Docusaurus (v1)',
    build: 'npm run build or docusaurus-build',
    output: 'build',
    dev: 'docusaurus-start',
  },
  preact: { name: 'Preact', build: 'npm run build or preact build', output: 'build', dev: 'preact watch' },
  'solidstart-1': {
    name: 'SolidStart (v1)',
    build: 'npm run build or vinxi build',
    output: '.output',
    dev: 'vinxi dev',
  },
  solidstart: {
    name: 'SolidStart (v0)',
    build: 'npm run build or solid-start build',
    output: '.output',
    dev: 'solid-start dev',
  },
  dojo: {
    name: 'Dojo',
    build: 'npm run build or dojo build',
    output: 'output/dist',
    dev: 'dojo build -m dev -w -s',
  },
  ember: { name: 'Ember.js', build: 'npm run build or ember build', output: 'dist', dev: 'ember serve' },
  vue: {
    name: 'Vue.js',
    build: 'npm run build or vue-cli-service build',
    output: 'dist',
    dev: 'vue-cli-service serve',
  },
  scully: { name: 'Scully', build: 'npm run build or ng build && scully', output: 'dist', dev: 'ng serve' },
  'ionic-angular': {
    name: 'Ionic Angular',
    build: 'npm run build or ng build',
    output: 'www',
    dev: 'ng serve --port $PORT',
  },
  angular: { name: 'Angular', build: 'npm run build or ng build', output: 'dist', dev: 'ng serve' },
  polymer: {
    name: 'Polymer',
    build: 'npm run build or polymer build',
    output: 'build',
    dev: 'polymer serve',
  },
  svelte: { name: 'Svelte', build: 'npm run build or rollup -c', output: 'public', dev: 'rollup -c -w' },
  sveltekit: {
    name: 'SvelteKit (v0)',
    build: 'npm run build or svelte-kit build',
    output: 'public',
    dev: 'svelte-kit dev',
  },
  'sveltekit-1': { name: 'SvelteKit', build: 'vite build', output: 'public', dev: 'vite dev' },
  'ionic-react': {
    name: 'Ionic React',
    build: 'npm run build or react-scripts build',
    output: 'build',
    dev: 'react-scripts start',
  },
  'create-react-app': {
    name: 'Create React App',
    build: 'npm run build or react-scripts build',
    output: 'build',
    dev: 'react-scripts start',
  },
  gridsome: {
    name: 'Gridsome',
    build: 'npm run build or gridsome build',
    output: 'dist',
    dev: 'gridsome develop',
  },
  umijs: { name: 'UmiJS', build: 'npm run build or umi build', output: 'dist', dev: 'umi dev' },
  sapper: {
    name: 'Sapper',
    build: 'npm run build or sapper export',
    output: '__sapper__/export',
    dev: 'sapper dev',
  },
  saber: { name: 'Saber', build: 'npm run build or saber build', output: 'public', dev: 'saber' },
  stencil: {
    name: 'Stencil',
    build: 'npm run build or stencil build',
    output: 'www',
    dev: 'stencil build --dev --watch --serve',
  },
  nuxtjs: { name: 'Nuxt', build: 'npm run build or nuxt build', output: 'dist', dev: 'nuxt dev' },
  redwoodjs: {
    name: 'RedwoodJS',
    build: 'yarn rw deploy vercel',
    output: 'RedwoodJS default',
    dev: 'yarn rw dev',
  },
  hugo: {
    name: 'Hugo',
    build: 'npm run build or hugo --gc',
    output: 'public or publishDir from the config file',
    dev: 'hugo server -D',
  },
  jekyll: {
    name: 'Jekyll',
    build: 'npm run build or jekyll build',
    output: '_site or destination from _config.yml',
    dev: 'bundle exec jekyll serve',
  },
  brunch: {
    name: 'Brunch',
    build: 'npm run build or brunch build --production',
    output: 'public',
    dev: 'brunch watch --server',
  },
  middleman: {
    name: 'Middleman',
    build: 'npm run build or bundle exec middleman build',
    output: 'build',
    dev: 'bundle exec middleman server',
  },
  zola: { name: 'Zola', build: 'zola build', output: 'public', dev: 'zola serve' },
  hydrogen: {
    name: 'Hydrogen (v1)',
    build: 'npm run build or shopify hydrogen build',
    output: 'dist',
    dev: 'shopify hydrogen dev',
  },
  vite: { name: 'Vite', build: 'npm run build or vite build', output: 'dist', dev: 'vite' },
  vitepress: {
    name: 'VitePress',
    build: 'npm run build or vitepress build docs',
    output: 'docs/.vitepress/dist',
    dev: 'vitepress dev docs --port $PORT',
  },
  vuepress: {
    name: 'VuePress',
    build: 'npm run build or vuepress build src',
    output: 'src/.vuepress/dist',
    dev: 'vuepress dev src --port $PORT',
  },
  parcel: { name: 'Parcel', build: 'npm run build or parcel build', output: 'dist', dev: 'parcel' },
  sanity: {
    name: 'Sanity',
    build: 'npm run build or sanity build',
    output: 'dist',
    dev: 'sanity dev --port $PORT',
  },
  storybook: {
    name: 'Storybook',
    build: 'storybook build',
    output: 'storybook-static',
    dev: 'storybook dev -p $PORT',
  },
}

/** Without a framework: whatever the files show. */
const DETECTED: Preset = {
  name: 'Auto-detect',
  build: 'npm run build, if package.json has that script',
  output: 'public if it exists, or .',
  dev: 'None',
}

export const INSTALL_USUAL = 'npm, pnpm, yarn or bun install, depending on the lock file'

export const presetOf = (framework: string | null): Preset =>
  (framework !== null && Object.hasOwn(PRESETS, framework) ? PRESETS[framework as Framework] : undefined) ??
  DETECTED

/** By name, for a list to choose from. */
export const frameworkOptions = (): readonly { readonly value: string; readonly label: string }[] => [
  { value: '', label: DETECTED.name },
  ...Object.entries(PRESETS)
    .map(([value, { name }]) => ({ value, label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label)),
]
