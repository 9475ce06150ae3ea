using System.Collections.Concurrent;
using Jint;
using Jint.Native;
using Jint.Runtime.Interop;
using Pipeline.Database;
using Pipeline.Database.Json;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.JavaScript;

namespace Pipeline.JavaScript;

/// <summary>A projection of query results. Engines are kept for the next run; one whose run failed is thrown away.</summary>
internal sealed class JavaScriptProjection(string source, IReadOnlyList<string> names) : ProjectionScript(source)
{
    private const int MostEngines = 4;
    private readonly ConcurrentBag<Runner> _runners = [];

    internal override byte[]? Execute(ProjectionRun run, CancellationToken cancellationToken)
    {
        if (!_runners.TryTake(out Runner? runner)) runner = new Runner(Source, names);
        bool isWhole = false;
        try
        {
            byte[]? made = runner.Run(run, cancellationToken);
            isWhole = true;
            return made;
        }
        finally
        {
            if (isWhole && _runners.Count < MostEngines) _runners.Add(runner);
            else runner.Dispose();
        }
    }

    private sealed class Runner : IDisposable
    {
        private readonly ScriptEngine _engine;
        private readonly JsonOutput _json = new();
        private ProjectionRun _run = null!;

        public Runner(string source, IReadOnlyList<string> names)
        {
            _engine = new ScriptEngine([(null, source)], string.Join(", ", names), engine =>
            {
                DocumentFunctions.Add(engine, () => _run.Documents);
                engine.Add("include", (_, arguments) => Include(arguments));
                engine.Add("cmpxchg", (_, arguments) => CompareExchange(arguments));
                var includes = new JsObject(engine.Engine);
                includes.Set("document", new ClrFunction(engine.Engine, "document", (_, arguments) => Include(arguments.ToArray())));
                includes.Set("cmpxchg", new ClrFunction(engine.Engine, "cmpxchg", (_, arguments) => IncludeCompareExchange(arguments.ToArray())));
                engine.Engine.SetValue("includes", includes);
            });
        }

        public byte[]? Run(ProjectionRun run, CancellationToken cancellationToken)
        {
            _run = run;
            _engine.Time.Now = run.Now;
            try
            {
                JsValue made = _engine.Run(JsValue.Undefined, [.. run.Arguments.Select(ValueOf)], run.Limits, cancellationToken);
                if (made.IsNull() || made.IsUndefined()) return null;
                if (!made.IsObject() || made.IsArray() || made.IsCallable()) throw new ScriptRuntimeException($"'select' gives an object, not '{made}'", null, 0, 0);
                return _json.Write(made, run.Limits.MaxBodyBytes, keepsCollection: false).ToArray();
            }
            finally
            {
                _run = null!;
            }
        }

        public void Dispose()
        {
            _engine.Dispose();
            _json.Dispose();
        }

        private JsValue ValueOf(ProjectionArgument argument) =>
            argument.Document is { } document ? new WholeDocument(_engine.Engine, document) : DocumentObject.Of(_engine.Engine, argument.Value.Root);

        private JsValue Include(JsValue[] arguments)
        {
            foreach (string id in Texts(arguments)) _run.Documents.Include(id);
            return JsValue.Undefined;
        }

        private JsValue IncludeCompareExchange(JsValue[] arguments)
        {
            foreach (string key in Texts(arguments)) _run.Documents.IncludeCompareExchange(key);
            return JsValue.Undefined;
        }

        private JsValue CompareExchange(JsValue[] arguments)
        {
            if (DocumentFunctions.Text(arguments, 0) is not { Length: > 0 } key) throw new InvalidOperationException("cmpxchg takes the key of a compare-exchange value");
            if (_run.Documents.GetCompareExchange(key) is not { } value) return JsValue.Null;
            BinaryValue root = value.Value.Root;
            return DocumentObject.Of(_engine.Engine, root.Kind == JsonKind.Object && root.TryGetProperty("Object"u8, out BinaryValue kept) ? kept : root);
        }

        private static IEnumerable<string> Texts(JsValue[] arguments) =>
            arguments.SelectMany(a => a is JsArray list ? Enumerable.Range(0, (int)list.Length).Select(i => list[(uint)i]) : [a]).Where(a => a.IsString()).Select(a => a.ToString());
    }
}
