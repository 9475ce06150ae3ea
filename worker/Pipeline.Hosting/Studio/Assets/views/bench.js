import { isOwn, ofWorker, post, postExact } from '../api.js';
import { codeEditor } from '../code.js';
import { count, h, table, telling } from '../dom.js';
import { format } from '../json.js';
import { outcomeDiff, outcomeView, wordOf } from '../outcome.js';
import { showText } from '../textdialog.js';
import { notOwn } from './own.js';

const pause = 500;
// The changes of a plan, as /etl/plan numbers them.
const kinds = ['unchanged', 'added', 'changed', 'removed'];
const dots = { error: 'bad', nothing: '', 'not taken': '' };

/** Tries a task's script on real documents, as it is written: the documents at the left, their messages at the right, old against new. */
export async function bench(main, rest, signal) {
  if (!isOwn()) return notOwn(main, 'Transform bench');
  const all = await ofWorker('etl/tasks', signal) ?? [];
  const name = rest.join('/') || all[0]?.name;
  if (!name) {
    main.replaceChildren(h('h1', null, 'Transform bench'), h('div', { class: 'sheet empty' }, 'This worker has no ETL tasks.'));
    return;
  }
  const own = await ofWorker(`etl/transform?task=${encodeURIComponent(name)}`, signal);
  const draft = `bench/${name}/${own.version}`;
  const task = h('select', { 'aria-label': 'Task' }, all.map(t => h('option', { value: t.name, selected: t.name === name }, t.name)));
  const sample = h('input', { type: 'number', min: '1', max: '1000', value: '20', 'aria-label': 'Documents', style: 'width:5rem' });
  const only = h('input', { placeholder: 'last ones, or ids: orders/1, orders/2', 'aria-label': 'Ids', class: 'grow' });
  const told = h('span', { class: 'dim', role: 'status' });
  const list = h('ul', { class: 'list picks' }), input = h('div', { class: 'sheet' }), output = h('div', { class: 'sheet' });
  const tabs = h('div', { class: 'tabs' });
  const plan = h('section');
  const faults = h('ul', { class: 'bad faults' });
  let result = null, chosen = null, shown = 'Difference', timer = 0, running = new AbortController();

  const script = () => own.class ? null : code.text;
  const documents = () => result?.get('documents') ?? [];
  const asked = () => ({ task: name, script: script(), sample: Number(sample.value) || 20, ids: only.value.split(/[\s,]+/).filter(Boolean) });

  const draw = () => {
    const current = documents().find(d => d.get('id') === chosen) ?? documents()[0];
    chosen = current?.get('id') ?? null;
    list.replaceChildren(...documents().map(d => {
      const outcome = d.get('after') ?? d.get('before');
      const word = outcome ? wordOf(outcome) : '';
      return h('li', null, h('button', { type: 'button', 'aria-current': d === current ? 'true' : null, onclick: () => { chosen = d.get('id'); draw(); } },
        h('span', { class: `dot ${dots[word] ?? (d.get('isDifferent') ? 'accent' : 'good')}` }), d.get('id'), h('span', { class: 'dim' }, d.get('isDifferent') ? 'differs' : word)));
    }));
    const [before, after] = [current?.get('before'), current?.get('after')];
    tabs.replaceChildren(...['Difference', 'New', 'Old'].map(tab => h('button', { type: 'button', 'aria-pressed': String(tab === shown), onclick: () => { shown = tab; draw(); } }, tab)));
    input.replaceChildren(current ? h('pre', { class: 'pane' }, format(current.get('document'), '  ')) : h('p', { class: 'empty' }, 'The task takes no stored document.'));
    const single = { New: after, Old: before }[shown];
    output.replaceChildren(
      !current ? '' : shown === 'Difference' && before && after && current.get('isDifferent') ? outcomeDiff(before, after)
        : (single ?? after ?? before) ? outcomeView(single ?? after ?? before) : h('p', { class: 'pane dim' }, 'The script does not compile.'));
  };

  const run = telling(async () => {
    clearTimeout(timer);
    running.abort();
    running = new AbortController();
    told.textContent = 'running…';
    const turn = running.signal;
    result = await postExact('etl/bench', asked(), AbortSignal.any([turn, signal]));
    if (turn.aborted) return;
    const found = result.get('faults').map(f => ({ line: Number(f.get('line')), column: Number(f.get('column')), message: f.get('suggestion') ? `${f.get('message')}; ${f.get('suggestion')}` : f.get('message') }));
    code.markAll(found);
    faults.replaceChildren(...found.map(f => h('li', null, own.class ? f.message : `${f.line}:${f.column} ${f.message}`)));
    const failed = documents().filter(d => d.get('after')?.get('error')).length;
    told.textContent = `${result.get('tried').text === '1' ? 'one document' : `${count(Number(result.get('tried').text))} documents`} · ${count(Number(result.get('different').text))} differ${failed ? ` · ${count(failed)} fail` : ''}`;
    draw();
  });

  const saveCase = telling(async () => {
    if (!chosen) return;
    const { yaml } = await post('etl/bench/case', { ...asked(), ids: [chosen] }, signal);
    showText('Test case', yaml, `Add it to the 'tests' of the task '${name}' in ${own.file}, or to a file of its 'testFiles'. 'pipeline test' runs it.`, `${name}-tests.yaml`);
  });
  const saveScript = telling(async () => {
    const { yaml } = await post('etl/bench/yaml', asked(), signal);
    showText('YAML to commit', yaml, `Replace 'transform' of the task '${name}' in ${own.file} (the script begins at line ${own.lines[0]}) and commit it. 'pipeline etl plan' shows what it changes; the worker applies its file only.`, `${name}.yaml`);
  });
  const showPlan = telling(async () => {
    const found = await ofWorker('etl/plan?sample=20', signal);
    const changes = found.tasks.filter(t => kinds[t.kind] !== 'unchanged');
    plan.replaceChildren(h('h2', null, "What the worker's file would change now"), table([
      { title: 'Task', cell: t => t.name },
      { title: 'Change', cell: t => kinds[t.kind] },
      { title: 'Settings', wrap: true, cell: t => t.settings.map(s => s.path).join(', ') },
      { title: 'Documents that differ', number: true, cell: t => t.tried ? `${count(t.different)} of ${count(t.tried)}` : '' },
    ], changes, 'Nothing: the worker runs what its file says.'));
    plan.scrollIntoView({ block: 'nearest' });
  });

  const code = await codeEditor({
    signal,
    label: 'Script', text: own.class ? `// ${own.class} is a class of the program; it is tried as it runs.` : sessionStorage.getItem(draft) ?? own.script, language: 'script', isReadOnly: Boolean(own.class), keys: { 'Mod-Enter': run },
    onChange: () => {
      if (code.text === own.script) sessionStorage.removeItem(draft);
      else sessionStorage.setItem(draft, code.text);
      clearTimeout(timer);
      timer = setTimeout(run, pause);
    },
  });
  if (signal.aborted) return;
  signal.addEventListener('abort', () => { clearTimeout(timer); running.abort(); }, { once: true });
  task.onchange = () => { location.hash = `#/bench/${encodeURIComponent(task.value)}`; };
  sample.onchange = only.onchange = run;
  main.replaceChildren(
    h('div', { class: 'bar' }, h('h1', { style: 'margin:0' }, 'Transform bench'), task, h('span', { class: 'dim grow' }, `${own.from.join(', ')} → ${own.connection} (${own.kind}) · ${own.file}${own.lines.length ? `:${own.lines[0]}` : ''}`)),
    code.element, h('div', { role: 'alert' }, faults),
    h('div', { class: 'bar', style: 'margin-top:.5rem' },
      h('button', { type: 'button', class: 'main', onclick: run }, 'Run'), h('span', { class: 'dim' }, h('kbd', null, 'Ctrl Enter')), h('label', null, 'Last ', sample), only,
      h('button', { type: 'button', onclick: () => { code.text = own.script; }, disabled: Boolean(own.class), title: 'Back to the script that runs now' }, 'Reset'),
      h('span', { class: 'group' }, h('button', { type: 'button', onclick: saveCase }, 'Save as test case'),
      h('button', { type: 'button', onclick: saveScript, disabled: Boolean(own.class) }, 'YAML to commit'),
      h('button', { type: 'button', onclick: showPlan }, 'Plan'))),
    h('div', { class: 'bar' }, told),
    h('div', { class: 'bench' },
      h('section', null, h('div', { class: 'bar' }, h('h2', null, 'Documents')), list),
      h('section', null, h('div', { class: 'bar' }, h('h2', null, 'Document')), input),
      h('section', null, h('div', { class: 'bar' }, h('h2', { class: 'grow' }, 'Messages'), tabs), output)),
    plan);
  code.focus();
  await run();
}
