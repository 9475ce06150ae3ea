using System.Globalization;
using Jint;
using Jint.Native;
using Jint.Runtime;
using Jint.Runtime.Interop;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>An engine that holds one user's function: strict, without .NET, and without a clock or random numbers.
/// <see cref="ScriptRealm"/> prepares its built-in objects
/// so that no run leaves anything for the next. Used by one thread at a time.</summary>
internal sealed class ScriptEngine : IDisposable
{
    private const int MaxArray = 1 << 20;

    private readonly string _prefix;
    private readonly (JavaScriptText Text, int Line)[] _parts;
    private readonly JsValue _function;

    /// <summary>Makes an engine.</summary>
    /// <param name="texts">
    /// The user's statements: texts that follow each other, each with the name that its errors are reported under.
    /// </param>
    /// <param name="parameters">Names that each run gives values, separated by commas.</param>
    /// <param name="addFunctions">Adds what the script may call.</param>
    public ScriptEngine(
        IReadOnlyList<(string? Name, string Text)> texts,
        string parameters,
        Action<ScriptEngine> addFunctions
    )
    {
        Engine = new Engine(options =>
        {
            // No limit of recursion: the engine would count each call in a table. The limits check the stack instead.
            options.Strict();
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
        _prefix =
            $"(function({JavaScriptText.Measure}, {JavaScriptText.Length}, {JavaScriptText.Spread}, {JavaScriptText.Join}, {JavaScriptText.Chain}) {{ return function({parameters}) {{ \"use strict\"; ";
        _parts = new (JavaScriptText Text, int Line)[texts.Count];
        for (int i = 0, line = 1; i < texts.Count; i++)
        {
            _parts[i] = (new JavaScriptText(texts[i].Name, texts[i].Text), line);
            line += texts[i].Text.Count(c => c == '\n') + 1;
        }

        var made = (Jint.Native.Function.Function)
            Engine.Evaluate(_prefix + string.Join("\n", _parts.Select(p => p.Text.Text)) + "\n}})");
        _function = Engine.Call(
            made,
            JsValue.Undefined,
            [
                Check(made, JavaScriptText.Measure, Measure),
                Check(made, JavaScriptText.Length, Length),
                Check(made, JavaScriptText.Spread, Spread),
                Check(made, JavaScriptText.Join, Join),
                Check(made, JavaScriptText.Chain, Chain),
            ]
        );
    }

    /// <summary>The engine.</summary>
    public Engine Engine { get; }

    /// <summary>The limits of a run.</summary>
    public RunLimits Limits { get; } = new();

    /// <summary>The clock.</summary>
    public RunTime Time { get; } = new();

    /// <summary>The documents that the script reads at the time of a call, if there are any.</summary>
    public Func<IScriptDocuments?> Documents { get; set; } = () => null;

    /// <summary>Adds a function that scripts see.</summary>
    public void Add(string name, Func<JsValue, JsValue[], JsValue> function) =>
        Engine.SetValue(name, Function(name, function));

    /// <summary>A function that scripts may call.</summary>
    public ClrFunction Function(string name, Func<JsValue, JsValue[], JsValue> function) =>
        new(
            Engine,
            name,
            (self, arguments) =>
            {
                Limits.Enter();
                return function(self, arguments.ToArray());
            }
        );

    /// <summary>Runs the user's function.</summary>
    /// <exception cref="ScriptRuntimeException">It threw, or went over a limit.</exception>
    public JsValue Run(JsValue self, JsValue[] arguments, ScriptLimits limits, CancellationToken cancellationToken) =>
        Run(() => Call(self, arguments), limits, cancellationToken);

    /// <summary>Calls the user's function within a run.</summary>
    public JsValue Call(JsValue self, JsValue[] arguments) => Engine.Call(_function, self, arguments);

    /// <summary>Calls functions of the script; all calls together are held to the limits of one run.</summary>
    /// <exception cref="ScriptRuntimeException">One threw, or went over a limit.</exception>
    public T Run<T>(Func<T> calls, ScriptLimits limits, CancellationToken cancellationToken) =>
        StackBudget.Run(() => RunHere(calls, limits, cancellationToken));

    /// <inheritdoc/>
    public void Dispose() => Engine.Dispose();

    private T RunHere<T>(Func<T> calls, ScriptLimits limits, CancellationToken cancellationToken)
    {
        Limits.Begin(limits, cancellationToken);
        try
        {
            var result = calls();
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

    private CheckFunction Check(Jint.Native.Function.Function neighbour, string name, Func<JsValue, JsValue> check) =>
        new(Engine, Limits, neighbour, name, check);

    private JsValue Measure(JsValue value)
    {
        if (value is JsString text)
            Limits.CheckText(text.Length);
        return value;
    }

    private JsValue Length(JsValue length)
    {
        Limits.CheckText((long)length.AsNumber());
        return length;
    }

    private static JsValue Spread(JsValue value)
    {
        TextRules.CheckProperties(value);
        return value;
    }

    private JsValue Join(JsValue value)
    {
        var text = value as JsString ?? JsString.Create(TypeConverter.ToString(value));
        Limits.CheckText(text.Length);
        Limits.Count(text.Length);
        return text;
    }

    /// <summary>A class has two chains: its own, and that of the objects that it makes.</summary>
    private static JsValue Chain(JsValue value)
    {
        RunLimits.CheckChain(value);
        if (value is Jint.Native.Function.Function made && made.GetOwnProperty("prototype").Value is { } prototype)
            RunLimits.CheckChain(prototype);
        return value;
    }

    private Exception Locate(Exception error)
    {
        if (Documents() is { } documents && documents.IsStoreFailure(error))
            return error;
        (var line, var column) = JintException.TryGetJavaScriptLocation(error, out var place)
            ? (place.Start.Line, place.Start.Column + 1)
            : (0, 0);
        if (line == 1)
            column = Math.Max(1, column - _prefix.Length);
        string? source = null;
        if (line > 0)
        {
            (var text, var first) = _parts.Last(p => p.Line <= line);
            (source, line) = (text.Name, line - first + 1);
            column = text.ColumnOf(line, column);
        }

        return error switch
        {
            ScriptLimitException limit => limit.Line > 0
                ? limit
                : new ScriptLimitException(limit.Limit, limit.Value, source, line, column),
            ScriptRuntimeException { Line: > 0 } => error,
            System.Text.RegularExpressions.RegexMatchTimeoutException => new ScriptLimitException(
                "time of a regular expression",
                "1s",
                source,
                line,
                column
            ),
            JavaScriptException thrown => new ScriptRuntimeException(Text(thrown), source, line, column, error),
            _ => new ScriptRuntimeException(error.Message, source, line, column, error),
        };
    }

    private static string Text(JavaScriptException thrown) =>
        thrown.Error.IsObject()
        && thrown.Error.AsObject().Get("name") is var name
        && name.IsString()
        && name.ToString() is not ("Error" or "")
            ? $"{name}: {thrown.Message}"
            : thrown.Message;
}
