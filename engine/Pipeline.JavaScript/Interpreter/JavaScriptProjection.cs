using Jint;
using Jint.Native;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>A projection of query results.</summary>
internal sealed class JavaScriptProjection(string source, IReadOnlyList<string> names) : ProjectionScript(source)
{
    private const int MaxEngines = 4;
    private readonly RunnerPool<Runner> _runners = new(MaxEngines, () => new Runner(source, names));

    internal override byte[]? Execute(ProjectionRun run, CancellationToken cancellationToken) =>
        _runners.Run(r => r.Run(run, cancellationToken));

    private sealed class Runner : IDisposable
    {
        private readonly ScriptEngine _engine;
        private readonly JsonOutput _json = new();
        private ProjectionRun _run = null!;

        public Runner(string source, IReadOnlyList<string> names)
        {
            _engine = new ScriptEngine(
                [(null, source)],
                string.Join(", ", names),
                engine =>
                {
                    DocumentFunctions.Add(engine, () => _run.Documents);
                    engine.Add("include", (_, arguments) => Include(arguments));
                    engine.Add("cmpxchg", (_, arguments) => CompareExchange(arguments));
                    var includes = new JsObject(engine.Engine);
                    includes.Set("document", engine.Function("document", (_, arguments) => Include(arguments)));
                    includes.Set(
                        "cmpxchg",
                        engine.Function("cmpxchg", (_, arguments) => IncludeCompareExchange(arguments))
                    );
                    engine.Engine.SetValue("includes", includes);
                }
            );
        }

        public byte[]? Run(ProjectionRun run, CancellationToken cancellationToken)
        {
            _run = run;
            _engine.Time.Now = run.Now;
            try
            {
                return _engine.Run(() => Make(run), run.Limits, cancellationToken);
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

        // Writing runs getters of the script, so it is part of the run.
        private byte[]? Make(ProjectionRun run)
        {
            var made = _engine.Call(JsValue.Undefined, [.. run.Arguments.Select(ValueOf)]);
            if (made.IsNull() || made.IsUndefined())
                return null;
            if (!made.IsObject() || made.IsArray() || made.IsCallable())
                throw new ScriptRuntimeException($"'select' gives an object, not '{made}'", null, 0, 0);
            return _json.Write(made, run.Limits.MaxBodyBytes, keepsCollection: false).ToArray();
        }

        private JsValue ValueOf(ProjectionArgument argument) =>
            argument.Document is { } document
                ? new WholeDocument(_engine.Engine, document)
                : DocumentObject.Of(_engine.Engine, argument.Value.Root);

        private JsValue Include(JsValue[] arguments)
        {
            foreach (var id in Texts(arguments))
                _run.Documents.Include(id);
            return JsValue.Undefined;
        }

        private JsValue IncludeCompareExchange(JsValue[] arguments)
        {
            foreach (var key in Texts(arguments))
                _run.Documents.IncludeCompareExchange(key);
            return JsValue.Undefined;
        }

        private JsValue CompareExchange(JsValue[] arguments)
        {
            if (DocumentFunctions.Text(arguments, 0) is not { Length: > 0 } key)
                throw new InvalidOperationException("cmpxchg takes the key of a compare-exchange value");
            return _run.Documents.GetCompareExchange(key) is { } value
                ? DocumentObject.Of(_engine.Engine, value)
                : JsValue.Null;
        }

        private static IEnumerable<string> Texts(JsValue[] arguments) =>
            arguments
                .SelectMany(a =>
                    a is JsArray list ? Enumerable.Range(0, (int)list.Length).Select(i => list[(uint)i]) : [a]
                )
                .Where(a => a.IsString())
                .Select(a => a.ToString());
    }
}
