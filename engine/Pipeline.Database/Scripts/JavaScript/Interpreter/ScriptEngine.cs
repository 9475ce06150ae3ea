using System.Globalization;
using Jint;
using Jint.Native;
using Jint.Runtime;
using Jint.Runtime.Interop;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>An engine that holds one user's function: strict, without .NET, without a clock or chance of its own, its built-in objects frozen so that no run leaves
/// anything for the next. Used by one thread at a time.</summary>
internal sealed class ScriptEngine : IDisposable
{
    private const int MaxRecursion = 256;

    // What runs share is frozen; functions of ours are among it.
    private const string Freeze = """
        (function () {
          Math.random = function () { throw new Error('Math.random is not there: a script gives the same for the same document'); };
          const seen = new Set();
          (function freeze(o) {
            if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o)) return;
            seen.add(o);
            for (const key of Reflect.ownKeys(o)) {
              const d = Reflect.getOwnPropertyDescriptor(o, key);
              if (d === undefined) continue;
              freeze(d.value); freeze(d.get); freeze(d.set);
            }
            freeze(Reflect.getPrototypeOf(o));
            Object.freeze(o);
          })(globalThis);
        })();
        """;

    private readonly string _prefix;
    private readonly (string? Name, int Line)[] _parts;
    private readonly JsValue _function;

    /// <summary>Makes an engine.</summary>
    /// <param name="texts">The user's statements: texts that follow each other, each with the name that its errors are reported under.</param>
    /// <param name="parameters">Names that each run gives values, separated by commas.</param>
    /// <param name="addFunctions">Adds what the script may call.</param>
    public ScriptEngine(IReadOnlyList<(string? Name, string Text)> texts, string parameters, Action<ScriptEngine> addFunctions)
    {
        Engine = new Engine(options =>
        {
            options.Strict();
            options.LimitRecursion(MaxRecursion);
            options.Constraint(Limits);
            options.DisableStringCompilation();
            options.Culture(CultureInfo.InvariantCulture);
            options.LocalTimeZone(TimeZoneInfo.Utc);
            options.RegexTimeoutInterval(TimeSpan.FromSeconds(1));
            options.MaxArraySize(10_000_000);
            options.TimeSystem = Time;
            options.Constraints.StackOverflowGuard = true;
        });
        addFunctions(this);
        Engine.Execute(Freeze);
        _prefix = $"(function({parameters}) {{ \"use strict\"; ";
        _parts = new (string? Name, int Line)[texts.Count];
        for (int i = 0, line = 1; i < texts.Count; i++)
        {
            _parts[i] = (texts[i].Name, line);
            line += texts[i].Text.Count(c => c == '\n') + 1;
        }

        _function = Engine.Evaluate(_prefix + string.Join("\n", texts.Select(t => t.Text)) + "\n})");
    }

    /// <summary>The engine.</summary>
    public Engine Engine { get; }

    /// <summary>What a run may use.</summary>
    public RunLimits Limits { get; } = new();

    /// <summary>The clock.</summary>
    public RunTime Time { get; } = new();

    /// <summary>Adds a function that scripts see.</summary>
    public void Add(string name, Func<JsValue, JsValue[], JsValue> function) => Engine.SetValue(name, new ClrFunction(Engine, name, (self, arguments) => function(self, arguments.ToArray())));

    /// <summary>Runs the user's function.</summary>
    /// <exception cref="ScriptRuntimeException">It threw, or went over a limit.</exception>
    public JsValue Run(JsValue self, JsValue[] arguments, ScriptLimits limits, CancellationToken cancellationToken) =>
        Run(() => Engine.Call(_function, self, arguments), limits, cancellationToken);

    /// <summary>Runs what calls functions of the script, held to the limits as one run.</summary>
    /// <exception cref="ScriptRuntimeException">One threw, or went over a limit.</exception>
    public T Run<T>(Func<T> calls, ScriptLimits limits, CancellationToken cancellationToken)
    {
        Limits.Begin(limits, cancellationToken);
        try
        {
            T result = calls();
            Limits.Finish();
            return result;
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            throw Locate(e);
        }
        finally
        {
            Limits.End();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Engine.Dispose();

    private Exception Locate(Exception error)
    {
        (int line, int column) = JintException.TryGetJavaScriptLocation(error, out var place) ? (place.Start.Line, place.Start.Column + 1) : (0, 0);
        if (line == 1) column = Math.Max(1, column - _prefix.Length);
        (string? source, int first) = line > 0 ? _parts.Last(p => p.Line <= line) : (null, 1);
        if (line > 0) line -= first - 1;
        return error switch
        {
            ScriptLimitException limit => limit.Line > 0 ? limit : new ScriptLimitException(limit.Limit, limit.Value, source, line, column),
            ScriptRuntimeException { Line: > 0 } or Pipeline.Storage.StorageException => error,
            RecursionDepthOverflowException => new ScriptLimitException("recursion", MaxRecursion.ToString(CultureInfo.InvariantCulture), source, line, column),
            System.Text.RegularExpressions.RegexMatchTimeoutException => new ScriptLimitException("time of a regular expression", "1s", source, line, column),
            JavaScriptException thrown => new ScriptRuntimeException(Text(thrown), source, line, column, error),
            _ => new ScriptRuntimeException(error.Message, source, line, column, error),
        };
    }

    private static string Text(JavaScriptException thrown) =>
        thrown.Error.IsObject() && thrown.Error.AsObject().Get("name") is var name && name.IsString() && name.ToString() is not ("Error" or "")
            ? $"{name}: {thrown.Message}"
            : thrown.Message;
}
