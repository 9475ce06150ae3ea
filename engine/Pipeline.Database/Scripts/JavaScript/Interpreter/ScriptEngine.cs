using System.Globalization;
using Jint;
using Jint.Native;
using Jint.Runtime;
using Jint.Runtime.Interop;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>An engine that holds one user's function: strict, without .NET, without a clock or chance of its own. <see cref="ScriptRealm"/> prepares its built-in objects
/// so that no run leaves anything for the next. Used by one thread at a time.</summary>
internal sealed class ScriptEngine : IDisposable
{
    private const int MaxRecursion = 256;
    private const int MaxArray = 1 << 20;

    private readonly string _prefix;
    private readonly (ScriptText Text, int Line)[] _parts;
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
            options.MaxArraySize(MaxArray);
            options.TimeSystem = Time;
            options.Constraints.StackOverflowGuard = true;
        });
        ScriptRealm.Prepare(Engine, Limits);
        addFunctions(this);
        ScriptRealm.Close(Engine);
        _prefix = $"(function({ScriptText.Measure}) {{ return function({parameters}) {{ \"use strict\"; ";
        _parts = new (ScriptText Text, int Line)[texts.Count];
        for (int i = 0, line = 1; i < texts.Count; i++)
        {
            _parts[i] = (new ScriptText(texts[i].Name, texts[i].Text), line);
            line += texts[i].Text.Count(c => c == '\n') + 1;
        }

        JsValue made = Engine.Evaluate(_prefix + string.Join("\n", _parts.Select(p => p.Text.Text)) + "\n}})");
        _function = Engine.Call(made, JsValue.Undefined, [new ClrFunction(Engine, ScriptText.Measure, Measure)]);
    }

    /// <summary>The engine.</summary>
    public Engine Engine { get; }

    /// <summary>What a run may use.</summary>
    public RunLimits Limits { get; } = new();

    /// <summary>The clock.</summary>
    public RunTime Time { get; } = new();

    /// <summary>Adds a function that scripts see.</summary>
    public void Add(string name, Func<JsValue, JsValue[], JsValue> function) => Engine.SetValue(name, Function(name, function));

    /// <summary>A function that scripts may call.</summary>
    public ClrFunction Function(string name, Func<JsValue, JsValue[], JsValue> function) => new(Engine, name, (self, arguments) =>
    {
        Limits.Enter();
        return function(self, arguments.ToArray());
    });

    /// <summary>Runs the user's function.</summary>
    /// <exception cref="ScriptRuntimeException">It threw, or went over a limit.</exception>
    public JsValue Run(JsValue self, JsValue[] arguments, ScriptLimits limits, CancellationToken cancellationToken) =>
        Run(() => Call(self, arguments), limits, cancellationToken);

    /// <summary>Calls the user's function within a run.</summary>
    public JsValue Call(JsValue self, JsValue[] arguments) => Engine.Call(_function, self, arguments);

    /// <summary>Runs what calls functions of the script, held to the limits as one run.</summary>
    /// <exception cref="ScriptRuntimeException">One threw, or went over a limit.</exception>
    public T Run<T>(Func<T> calls, ScriptLimits limits, CancellationToken cancellationToken) => StackBudget.Run(() => RunHere(calls, limits, cancellationToken));

    /// <inheritdoc/>
    public void Dispose() => Engine.Dispose();

    private T RunHere<T>(Func<T> calls, ScriptLimits limits, CancellationToken cancellationToken)
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

    private JsValue Measure(JsValue self, JsValue[] arguments)
    {
        if (arguments[0] is JsString text) Limits.CheckText(text.Length);
        else if (arguments[0] is JsNumber length) Limits.CheckText((long)length.AsNumber());
        return arguments[0];
    }

    private Exception Locate(Exception error)
    {
        (int line, int column) = JintException.TryGetJavaScriptLocation(error, out var place) ? (place.Start.Line, place.Start.Column + 1) : (0, 0);
        if (line == 1) column = Math.Max(1, column - _prefix.Length);
        string? source = null;
        if (line > 0)
        {
            (ScriptText text, int first) = _parts.Last(p => p.Line <= line);
            (source, line) = (text.Name, line - first + 1);
            column = text.ColumnOf(line, column);
        }

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
