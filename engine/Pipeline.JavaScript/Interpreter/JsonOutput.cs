using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Jint;
using Jint.Native;
using Jint.Native.Object;
using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// Writes values of JavaScript as JSON, like <c>JSON.stringify</c>, with two differences. Dates have seven digits, as
/// in the database, and numbers of the document that the script has not changed keep their stored form. Used by one
/// thread at a time.
/// </summary>
internal sealed class JsonOutput : IDisposable
{
    private const int MaxDepth = 128;

    /// <summary>
    /// The limit below which a double represents each integer exactly. Members of integer types read no exponent.
    /// </summary>
    private const double MaxExact = 1L << 53;
    private static readonly JsonWriterOptions Options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        MaxDepth = MaxDepth + 2,
        SkipValidation = true,
    };
    private readonly ArrayBufferWriter<byte> _buffer = new();
    private readonly Utf8JsonWriter _json;
    private bool _keepsCollection;

    public JsonOutput() => _json = new Utf8JsonWriter(_buffer, Options);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    /// <param name="maxBytes">Most bytes.</param>
    /// <param name="keepsCollection">Whether a document's metadata has its collection, for text that is stored.</param>
    /// <returns>The text, valid until the next one.</returns>
    public ReadOnlyMemory<byte> Write(JsValue value, int maxBytes, bool keepsCollection)
    {
        _buffer.ResetWrittenCount();
        _json.Reset(_buffer);
        _keepsCollection = keepsCollection;
        Value(value, default, 0, maxBytes);
        _json.Flush();
        CheckSize(maxBytes);
        return _buffer.WrittenMemory;
    }

    /// <inheritdoc/>
    public void Dispose() => _json.Dispose();

    private void CheckSize(int maxBytes)
    {
        if (_json.BytesCommitted + _json.BytesPending > maxBytes)
        {
            throw new ScriptLimitException(
                nameof(ScriptLimits.MaxBodyBytes),
                maxBytes.ToString(CultureInfo.InvariantCulture)
            );
        }
    }

    private void Value(JsValue value, BinaryValue stored, int depth, int maxBytes, bool isOwn = false)
    {
        if (depth > MaxDepth)
            throw new InvalidOperationException($"an object is nested more than {MaxDepth} deep, or contains itself");
        CheckSize(maxBytes);
        switch (value)
        {
            case DocumentObject { IsMade: false } whole
                when whole is not MetadataObject && (whole is not WholeDocument || !_keepsCollection):
                Raw(whole.Source);
                break;
            case JsString text:
                _json.WriteStringValue(text.ToString());
                break;
            case JsBoolean boolean:
                _json.WriteBooleanValue(boolean == JsBoolean.True);
                break;
            case JsNumber number:
                Number(number.AsNumber(), stored);
                break;
            case JsBigInt big:
                _json.WriteRawValue(big.ToString(), skipInputValidation: true);
                break;
            case JsDate date:
                Date(date);
                break;
            case JsArray array:
                _json.WriteStartArray();
                for (uint i = 0; i < array.Length; i++)
                    Value(array[i], default, depth + 1, maxBytes);
                _json.WriteEndArray();
                break;
            case ObjectInstance callable when callable.IsCallable():
                _json.WriteNullValue();
                break;
            case ObjectInstance other:
                Object(other, depth, maxBytes, isOwn);
                break;
            default:
                _json.WriteNullValue();
                break;
        }
    }

    /// <param name="value">The object.</param>
    /// <param name="depth">How deep it stands.</param>
    /// <param name="maxBytes">Most bytes.</param>
    /// <param name="isOwn">
    /// Whether it is the metadata of the written document: the properties that the database maintains are then left
    /// out.
    /// </param>
    private void Object(ObjectInstance value, int depth, int maxBytes, bool isOwn)
    {
        var source = (value as DocumentObject)?.Source ?? default;
        _json.WriteStartObject();
        foreach (var key in value.GetOwnPropertyKeys(Jint.Runtime.Types.String))
        {
            var name = key.ToString();
            if (isOwn && MetadataObject.IsOwn(name) && !(_keepsCollection && name == "@collection"))
                continue;
            if (!value.GetOwnProperty(key).Enumerable)
                continue;
            var property = value.Get(key);
            if (property.IsUndefined() || property.IsCallable() || property is JsSymbol)
                continue;
            var isMetadata = name == "@metadata" && property is MetadataObject;
            if (isMetadata && !_keepsCollection && !source[name].Exists)
                continue;
            _json.WritePropertyName(name);
            Value(property, source[name], depth + 1, maxBytes, isMetadata);
        }

        _json.WriteEndObject();
    }

    private void Number(double number, BinaryValue stored)
    {
        if (stored.Kind == JsonKind.Number && stored.TryGetDouble(out var same) && same.Equals(number))
            Raw(stored);
        else if (!double.IsFinite(number))
            _json.WriteNullValue();
        else if (Math.Abs(number) < MaxExact && Math.Floor(number) == number)
            _json.WriteNumberValue((long)number);
        else
            _json.WriteNumberValue(number);
    }

    private void Date(JsDate date)
    {
        if (double.IsFinite(date.DateValue))
        {
            _json.WriteStringValue(
                date.ToDateTime()
                    .ToUniversalTime()
                    .ToString("yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'", CultureInfo.InvariantCulture)
            );
        }
        else
        {
            _json.WriteNullValue();
        }
    }

    private void Raw(BinaryValue value)
    {
        if (!value.Exists)
        {
            _json.WriteStartObject();
            _json.WriteEndObject();
            return;
        }

        var text = new ArrayBufferWriter<byte>();
        value.WriteTo(text);
        _json.WriteRawValue(text.WrittenSpan, skipInputValidation: true);
    }
}
