using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Writes values of one .NET type as JSON; made once a type, from reflection, and then only calls delegates.
/// </summary>
internal abstract class JsonTypeWriter
{
    // Weak, since scripts' own types must go when the script does.
    private static readonly ConditionalWeakTable<Type, JsonTypeWriter> Cache = [];

    public abstract void WriteObject(JsonBodyWriter writer, object value);

    public static JsonTypeWriter For(Type type)
    {
        if (Cache.TryGetValue(type, out var known))
            return known;
        if (type.IsByRef || type.IsPointer || type.IsByRefLike || type == typeof(void))
            throw new InvalidOperationException($"A value of type {type} cannot be written as JSON.");
        return Cache.GetValue(type, static t => Create(t));
    }

    private static JsonTypeWriter Create(Type type)
    {
        if (typeof(ScriptValue).IsAssignableFrom(type))
        {
            return type == typeof(ScriptValue)
                ? new ScriptValueWriter()
                : new ScalarWriter<object>(static (w, v) => w.Value((ScriptValue)v));
        }

        if (Scalar(type) is { } scalar)
            return scalar;
        if (type.IsEnum)
            return Make(typeof(EnumWriter<>), type);
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Boosted<>))
            return Make(typeof(BoostedWriter<>), type.GetGenericArguments());
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Make(typeof(NullableWriter<>), underlying);
        if (typeof(Delegate).IsAssignableFrom(type) || typeof(System.Reflection.MemberInfo).IsAssignableFrom(type))
        {
            throw new InvalidOperationException(
                $"A value of type {type} cannot be written as JSON; is a call's () missing?"
            );
        }

        if (typeof(ITuple).IsAssignableFrom(type))
            return Make(typeof(TupleWriter<>), type);
        var interfaces = type.IsInterface ? type.GetInterfaces().Append(type) : type.GetInterfaces();
        Type? dictionary = null;
        Type? sequence = null;
        foreach (var candidate in interfaces.Where(i => i.IsGenericType))
        {
            var definition = candidate.GetGenericTypeDefinition();
            if (definition == typeof(IEnumerable<>))
            {
                sequence ??= candidate;
                var item = candidate.GetGenericArguments()[0];
                if (item.IsGenericType && item.GetGenericTypeDefinition() == typeof(KeyValuePair<,>))
                    dictionary = item;
            }
        }

        if (dictionary is not null)
            return Make(typeof(DictionaryWriter<,,>), [type, .. dictionary.GetGenericArguments()]);
        if (sequence is not null)
            return Make(typeof(SequenceWriter<,>), type, sequence.GetGenericArguments()[0]);
        if (typeof(IEnumerable).IsAssignableFrom(type))
            return Make(typeof(UntypedSequenceWriter<>), type);
        if (type == typeof(object) || type.IsInterface || type.IsAbstract)
            return Make(typeof(RuntimeTypeWriter<>), type);
        return Make(typeof(ObjectWriter<>), type);
    }

    private static JsonTypeWriter Make(Type definition, params Type[] arguments) =>
        (JsonTypeWriter)Activator.CreateInstance(definition.MakeGenericType(arguments), nonPublic: true)!;

    private static JsonTypeWriter? Scalar(Type type) =>
        Type.GetTypeCode(type) switch
        {
            _ when type.IsEnum => null,
            TypeCode.String => new ScalarWriter<string>(static (w, v) => w.String(v)),
            TypeCode.Boolean => new ScalarWriter<bool>(static (w, v) => w.Boolean(v)),
            TypeCode.Char => new ScalarWriter<char>(static (w, v) => w.String([v])),
            TypeCode.SByte => new ScalarWriter<sbyte>(static (w, v) => w.Integer(v)),
            TypeCode.Byte => new ScalarWriter<byte>(static (w, v) => w.Integer(v)),
            TypeCode.Int16 => new ScalarWriter<short>(static (w, v) => w.Integer(v)),
            TypeCode.UInt16 => new ScalarWriter<ushort>(static (w, v) => w.Integer(v)),
            TypeCode.Int32 => new ScalarWriter<int>(static (w, v) => w.Integer(v)),
            TypeCode.UInt32 => new ScalarWriter<uint>(static (w, v) => w.Integer(v)),
            TypeCode.Int64 => new ScalarWriter<long>(static (w, v) => w.Integer(v)),
            TypeCode.UInt64 => new ScalarWriter<ulong>(static (w, v) => w.Decimal(v)),
            TypeCode.Single => new ScalarWriter<float>(
                static (w, v) =>
                    w.Double(double.Parse(v.ToString("R", CultureInfo.InvariantCulture), CultureInfo.InvariantCulture))
            ),
            TypeCode.Double => new ScalarWriter<double>(static (w, v) => w.Double(v)),
            TypeCode.Decimal => new ScalarWriter<decimal>(static (w, v) => w.Decimal(v)),
            TypeCode.DateTime => new ScalarWriter<DateTime>(
                static (w, v) => w.String(v.ToString("o", CultureInfo.InvariantCulture))
            ),
            TypeCode.DBNull => new ScalarWriter<DBNull>(static (w, _) => w.Null()),
            _ when type == typeof(DateTimeOffset) => new ScalarWriter<DateTimeOffset>(
                static (w, v) => w.String(v.ToString("o", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(DateOnly) => new ScalarWriter<DateOnly>(
                static (w, v) => w.String(v.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(TimeOnly) => new ScalarWriter<TimeOnly>(
                static (w, v) => w.String(v.ToString("o", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(TimeSpan) => new ScalarWriter<TimeSpan>(
                static (w, v) => w.String(v.ToString("c", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(Guid) => new ScalarWriter<Guid>(static (w, v) => w.String(v.ToString("D"))),
            _ when type == typeof(byte[]) => new ScalarWriter<byte[]>(
                static (w, v) => w.String(Convert.ToBase64String(v))
            ),
            _ when type == typeof(Uri)
                    || type == typeof(Version)
                    || type == typeof(System.Text.StringBuilder)
                    || type == typeof(System.Text.Rune)
                    || type == typeof(System.Numerics.BigInteger)
                    || type == typeof(Index)
                    || type == typeof(Range)
                    || typeof(Exception).IsAssignableFrom(type) => Make(typeof(TextFormWriter<>), type),
            _ => null,
        };
}

/// <summary>The writer of a type that is known when the script is compiled: no boxing, no look-up.</summary>
internal abstract class JsonTypeWriter<T> : JsonTypeWriter
{
    /// <summary>
    /// The one writer of <typeparamref name="T"/>; of its run-time type where values may be of a derived one.
    /// </summary>
    public static readonly JsonTypeWriter<T> Instance =
        For(typeof(T)) as JsonTypeWriter<T> ?? new RuntimeTypeWriter<T>();

    public abstract void Write(JsonBodyWriter writer, T value);

    public sealed override void WriteObject(JsonBodyWriter writer, object value) => Write(writer, (T)value);
}
