using System.Runtime.CompilerServices;
using Jint;
using Jint.Native;
using Jint.Native.Function;
using Jint.Runtime;
using Jint.Runtime.Descriptors;

namespace Pipeline.JavaScript;

/// <summary>
/// A built-in function that checks the run before each call, and the result after it. It is a class
/// and not a delegate, because scripts spend much of their time in such calls.
/// </summary>
internal sealed class GuardedFunction : Function
{
    private readonly Function _function;
    private readonly RunLimits _limits;
    private readonly TextRule? _rule;
    private readonly string _name;
    private readonly bool _mayBeShort;

    /// <summary>Guards a function.</summary>
    /// <param name="engine">The engine of the function.</param>
    /// <param name="limits">The limits of a run.</param>
    /// <param name="function">The built-in function.</param>
    /// <param name="name">The name under which scripts see it.</param>
    /// <param name="length">The number of its parameters.</param>
    public GuardedFunction(Engine engine, RunLimits limits, Function function, string name, int length)
        : base(engine, RealmOf(function), JsString.Create(name))
    {
        (_limits, _function, _name, _rule) = (limits, function, name, TextRules.Find(name));
        _mayBeShort = TextRules.MayBeShort(name);
        Prototype = function.Prototype;
        _length = new PropertyDescriptor(
            JsNumber.Create(length),
            writable: false,
            enumerable: false,
            configurable: false
        );
    }

    /// <inheritdoc/>
    protected override JsValue Call(JsValue thisObject, JsValue[] arguments)
    {
        if (_mayBeShort && TextRules.IsShort(thisObject, arguments))
        {
            _limits.EnterShort();
            return Call(_function, thisObject, arguments);
        }

        _limits.EnterBuiltIn();
        try
        {
            if (_rule is not null)
            {
                TextRules.Prepare(_name, ref thisObject, ref arguments);
                _rule(_limits, Engine, thisObject, arguments);
            }

            var result = Call(_function, thisObject, arguments);
            if (result is JsString text)
                _limits.CheckText(text.Length);
            else
                RunLimits.CheckChain(result);
            return result;
        }
        finally
        {
            _limits.LeaveBuiltIn();
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "Call")]
    private static extern JsValue Call(Function function, JsValue thisObject, JsValue[] arguments);

    /// <summary>The realm that a function belongs to.</summary>
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_realm")]
    internal static extern ref Realm RealmOf(Function function);
}

/// <summary>A function that the engine's text calls at measured places: it checks the run, then its argument.</summary>
internal sealed class CheckFunction(
    Engine engine,
    RunLimits limits,
    Function neighbour,
    string name,
    Func<JsValue, JsValue> check
) : Function(engine, GuardedFunction.RealmOf(neighbour), JsString.Create(name))
{
    /// <inheritdoc/>
    protected override JsValue Call(JsValue thisObject, JsValue[] arguments)
    {
        limits.Look();
        return check(arguments[0]);
    }
}
