// Builds the host page with the code that the Tutor plugin puts into the micro-frontends' image: FOLDER has what `tutor config save`
// has written there. OUT gets host.js, host.css and their fonts.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [folder, out] = process.argv.slice(2).map((path) => resolve(path));
const modules = resolve('deploy/catalog-slots/node_modules');
const esbuild = createRequire(join(modules, 'x.js'))('esbuild');
const built = await esbuild.build({
  entryPoints: { host: 'tests/support/catalog-slots/host.jsx' },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'iife',
  nodePaths: [modules],
  alias: { 'env.config': join(folder, 'env.config.jsx') },
  define: {
    'process.env.APP_ID': '"catalog"', 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'window',
  },
  // Sizes of screens that the components used here do not ask for.
  loader: { '.scss': 'empty', '.js': 'jsx', '.svg': 'dataurl', '.woff2': 'file', '.woff': 'file', '.ttf': 'file' },
  logLevel: 'warning',
  metafile: true,
});
const own = Object.keys(built.metafile.inputs).filter((file) => /storefront\/[a-z]+\.(jsx?|json)$/.test(file));
if (own.length < 4) { throw new Error(`the host page has not all of the storefront's code: ${own}`); }
