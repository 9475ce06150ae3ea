using System.Text;
using Jint;
using Jint.Native;

namespace Pipeline.JavaScript;

/// <summary>A patch.</summary>
internal sealed class JavaScriptPatch(string source) : PatchScript(source)
{
    private const int MaxEngines = 4;
    private readonly RunnerPool<Runner> _runners = new(MaxEngines, () => new Runner(source));

    internal override PatchOutcome Execute(PatchRun run, CancellationToken cancellationToken) =>
        _runners.Run(r => r.Run(run, cancellationToken));

    private sealed class Runner : IDisposable
    {
        private readonly ScriptEngine _engine;
        private readonly JsonOutput _json = new();
        private readonly List<string> _output = [];
        private PatchRun _run = null!;

        public Runner(string source)
        {
            _engine = new ScriptEngine(
                [(null, source)],
                "args, $",
                engine =>
                {
                    DocumentFunctions.Add(engine, () => _run.Documents);
                    engine.Add("put", (_, arguments) => Put(arguments));
                    engine.Add("del", (_, arguments) => Delete(arguments));
                    engine.Add("output", (_, arguments) => Write(arguments));
                    engine.Add("log", (_, arguments) => Write(arguments));
                }
            );
        }

        public PatchOutcome Run(PatchRun run, CancellationToken cancellationToken)
        {
            _run = run;
            _output.Clear();
            _engine.Time.Now = run.Now;
            var document = new WholeDocument(_engine.Engine, run.Document);
            var arguments = run.Arguments.IsEmpty
                ? new JsObject(_engine.Engine)
                : DocumentObject.Of(_engine.Engine, run.Arguments.Root);
            try
            {
                return _engine.Run(() => Apply(document, arguments), run.Limits, cancellationToken);
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
        private PatchOutcome Apply(WholeDocument document, JsValue arguments)
        {
            _engine.Call(document, [arguments, arguments]);
            if (!document.IsMade && !document.Metadata.IsMade)
                return new PatchOutcome(null, [.. _output]);
            var before = _json
                .Write(
                    new WholeDocument(_engine.Engine, _run.Document),
                    _run.Limits.MaxBodyBytes,
                    keepsCollection: true
                )
                .ToArray();
            var after = _json.Write(document, _run.Limits.MaxBodyBytes, keepsCollection: true);
            var changed = after.Span.SequenceEqual(before)
                ? default(ReadOnlyMemory<byte>?)
                : new ReadOnlyMemory<byte>(after.ToArray());
            return new PatchOutcome(changed, [.. _output]);
        }

        private JsString Put(JsValue[] arguments)
        {
            if (arguments.Length < 2 || !arguments[1].IsObject())
            {
                throw new InvalidOperationException(
                    "put takes an id, an object, and the change vector that must be there, if any"
                );
            }

            var json = _json.Write(arguments[1], _run.Limits.MaxBodyBytes, keepsCollection: true);
            return JsString.Create(
                _run.Documents.Put(
                    DocumentFunctions.Text(arguments, 0),
                    json.Span,
                    DocumentFunctions.Text(arguments, 2)
                )
            );
        }

        private JsBoolean Delete(JsValue[] arguments) =>
            _run.Documents.Delete(
                DocumentFunctions.Text(arguments, 0)
                    ?? throw new InvalidOperationException("del takes the id of a document"),
                DocumentFunctions.Text(arguments, 1)
            )
                ? JsBoolean.True
                : JsBoolean.False;

        private JsValue Write(JsValue[] arguments)
        {
            var value = arguments.Length > 0 ? arguments[0] : JsValue.Undefined;
            _output.Add(
                value.IsObject()
                    ? Encoding.UTF8.GetString(_json.Write(value, _run.Limits.MaxBodyBytes, keepsCollection: true).Span)
                    : value.ToString()
            );
            return JsValue.Undefined;
        }
    }
}
