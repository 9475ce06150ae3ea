using System.Buffers;
using System.Globalization;
using System.Linq.Expressions;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Pipeline.Client.Conventions;
using Pipeline.Client.Queries;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Advanced;

/// <summary>
/// A script that changes members of one document. It is made of the patches that follow each other, so that they make
/// one version.
/// </summary>
internal sealed class MemberPatch(string id, DocumentStoreOptions options) : PatchAction(id)
{
    private const string Place = "a patch";
    private const double MaxExact = 1L << 53;
    private readonly StringBuilder _script = new();
    private readonly ArrayBufferWriter<byte> _arguments = new();
    private int _count;

    public override string Script => _script.ToString();

    public override ReadOnlyMemory<byte> Arguments =>
        _count == 0 ? "{}"u8.ToArray() : (byte[])[.. _arguments.WrittenSpan, (byte)'}'];

    public override bool IsFree => false;

    /// <summary>Adds statements; none if that fails.</summary>
    public void Change(Action<MemberPatch> change)
    {
        var length = _script.Length;
        try
        {
            change(this);
        }
        catch
        {
            _script.Length = length;
            throw;
        }
    }

    /// <summary>Adds a statement.</summary>
    public void Add(string statement) => _script.Append(statement).Append(";\n");

    /// <summary>Adds a value.</summary>
    /// <returns>Its name in the script.</returns>
    /// <exception cref="ArgumentException">A number has more digits than a script keeps.</exception>
    public string Argument<T>(T value)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"p{_count}");
        var json = JsonSerializer.SerializeToUtf8Bytes(
            value,
            (JsonTypeInfo<T>)options.Serializer.GetTypeInfo(typeof(T))
        );
        CheckNumbers(json);
        Encoding.UTF8.GetBytes($"{(_count++ == 0 ? "{" : ",")}\"{name}\":", _arguments);
        _arguments.Write(json);
        return "args." + name;
    }

    /// <summary>The member that a lambda names, as a script writes it.</summary>
    /// <exception cref="UnsupportedExpressionException">It is no member that a patch can set.</exception>
    public static string MemberOf(LambdaExpression lambda, DocumentModel model, DocumentStoreOptions options)
    {
        var text = lambda.Body.ToString();
        if (lambda.Body is UnaryExpression { Operand.Type.IsValueType: true } converted)
        {
            throw new UnsupportedExpressionException(
                text,
                $"the value is a {lambda.ReturnType.Name}, the member a {converted.Operand.Type.Name}; give a value of the member's type",
                Place
            );
        }

        var body = lambda.Body is UnaryExpression { NodeType: ExpressionType.Convert } upcast
            ? upcast.Operand
            : lambda.Body;
        if (
            MemberPath.TryOf(body, lambda.Parameters[0], options) is not { Length: > 0 } path
            || path.Contains("[]", StringComparison.Ordinal)
        )
        {
            throw new UnsupportedExpressionException(
                text,
                "name a member, for example (Order o) => o.Total; a script changes anything else",
                Place
            );
        }

        if (path == model.IdName)
        {
            throw new UnsupportedExpressionException(
                text,
                "a document keeps its id; store it anew under the other id",
                Place
            );
        }

        if (
            body is MemberExpression { Member: var member }
            && (
                member.IsDefined(typeof(JsonConverterAttribute))
                || member.IsDefined(typeof(JsonNumberHandlingAttribute))
            )
        )
        {
            throw new UnsupportedExpressionException(
                text,
                "the member has its own JSON conversion; use a script",
                Place
            );
        }

        return path.Split('.')
            .Aggregate(new StringBuilder("this"), (script, name) => script.Append(NameOf(name)))
            .ToString();
    }

    /// <summary>The parameters of a user's script as JSON.</summary>
    /// <exception cref="ArgumentException">They are no object.</exception>
    public static ReadOnlyMemory<byte> Parameters(object? parameters, DocumentStoreOptions options)
    {
        var target = new ArrayBufferWriter<byte>();
        using (
            var json = new Utf8JsonWriter(
                target,
                new JsonWriterOptions { Encoder = Documents.DocumentMembers.Relaxed.Encoder }
            )
        )
        {
            switch (parameters)
            {
                case null:
                    json.WriteStartObject();
                    json.WriteEndObject();
                    break;
                case JsonNode node:
                    node.WriteTo(json);
                    break;
                case IReadOnlyDictionary<string, object?> values:
                    json.WriteStartObject();
                    foreach (var (name, value) in values)
                    {
                        json.WritePropertyName(name);
                        Rql.Write(json, value);
                    }

                    json.WriteEndObject();
                    break;
                default:
                    JsonSerializer.Serialize(json, parameters, options.Serializer.GetTypeInfo(parameters.GetType()));
                    break;
            }
        }

        return target.WrittenSpan is [(byte)'{', ..]
            ? target.WrittenMemory
            : throw new ArgumentException(
                "the parameters of a patch are an object, for example new { more = 3 }",
                nameof(parameters)
            );
    }

    /// <summary>A script has doubles for numbers: others would be stored rounded.</summary>
    private static void CheckNumbers(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        while (reader.Read())
        {
            // Only doubles are written with an exponent.
            if (reader.TokenType != JsonTokenType.Number || reader.ValueSpan.IndexOfAny("eE"u8) >= 0)
                continue;
            if (
                reader.ValueSpan.IndexOf((byte)'.') < 0
                    ? reader.TryGetInt64(out var integer) && Math.Abs((double)integer) < MaxExact
                    : IsDouble(ref reader)
            )
            {
                continue;
            }

            throw new ArgumentException(
                $"a patch cannot keep all digits of {Encoding.UTF8.GetString(reader.ValueSpan)}; load the document and change its object"
            );
        }
    }

    private static bool IsDouble(ref Utf8JsonReader reader) =>
        reader.TryGetDouble(out var number)
        && reader.TryGetDecimal(out var exact)
        && decimal.TryParse(
            number.ToString("R", CultureInfo.InvariantCulture),
            NumberStyles.Float,
            CultureInfo.InvariantCulture,
            out var kept
        )
        && kept == exact;

    private static string NameOf(string name) =>
        Rql.IsPlain(name) ? "." + name : $"[\"{JsonEncodedText.Encode(name)}\"]";
}
