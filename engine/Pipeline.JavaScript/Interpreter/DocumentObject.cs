using Jint;
using Jint.Native;
using Jint.Native.Object;
using Jint.Runtime.Descriptors;
using Pipeline.Json;

namespace Pipeline.JavaScript;

/// <summary>
/// An object of a stored document. Its properties are made when one of them is first asked for, objects within it in
/// their turn.
/// </summary>
internal class DocumentObject : ObjectInstance
{
    public DocumentObject(Engine engine, BinaryValue source)
        : base(engine)
    {
        Source = source;
        Prototype = engine.Intrinsics.Object.PrototypeObject;
    }

    /// <summary>Its place in the document.</summary>
    public BinaryValue Source { get; }

    /// <summary>Whether its properties were created; if not, it still equals the stored value.</summary>
    public bool IsMade { get; private set; }

    /// <summary>A value of a document in JavaScript's form.</summary>
    public static JsValue Of(Engine engine, BinaryValue value) =>
        value.Kind switch
        {
            JsonKind.Object => new DocumentObject(engine, value),
            JsonKind.Array => Array(engine, value),
            JsonKind.String => JsString.Create(value.GetString()!),
            JsonKind.Boolean => value.GetBoolean() ? JsBoolean.True : JsBoolean.False,
            JsonKind.Number => value.IsInteger && value.TryGetInt64(out var integer)
                ? JsNumber.Create(integer)
                : JsNumber.Create(value.TryGetDouble(out var number) ? number : double.NaN),
            JsonKind.Null => JsValue.Null,
            _ => JsValue.Undefined,
        };

    /// <inheritdoc/>
    protected override void Initialize()
    {
        IsMade = true;
        foreach (var property in Source.EnumerateObject())
            Add(property.Name, Of(Engine, property.Value));
    }

    /// <summary>Adds an ordinary property.</summary>
    protected void Add(string name, JsValue value) =>
        SetOwnProperty(
            JsString.Create(name),
            new PropertyDescriptor(value, writable: true, enumerable: true, configurable: true)
        );

    private static JsArray Array(Engine engine, BinaryValue value)
    {
        var items = new JsValue[value.Count];
        for (var i = 0; i < items.Length; i++)
            items[i] = Of(engine, value[i]);
        return new JsArray(engine, items);
    }
}
