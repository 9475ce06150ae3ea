using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Gives values of one .NET type to an index; made once a type, from reflection, and then only calls delegates.
/// </summary>
internal abstract class EntryTypeWriter
{
    // Weak, since definitions' own types must go when the index does.
    private static readonly ConditionalWeakTable<Type, EntryTypeWriter> Cache = [];

    public abstract void WriteObject(IndexEntryWriter writer, object value);

    public static EntryTypeWriter For(Type type) =>
        Cache.TryGetValue(type, out var known) ? known : Cache.GetValue(type, static t => Create(t));

    private static EntryTypeWriter Create(Type type)
    {
        if (typeof(ScriptValue).IsAssignableFrom(type))
            return new EntryValueWriter();
        if (Scalar(type) is { } scalar)
            return scalar;
        if (type.IsEnum || type == typeof(Guid) || type == typeof(Uri) || type == typeof(Version))
            return Make(typeof(EntryTextWriter<>), type);
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Boosted<>))
            return Make(typeof(EntryBoostedWriter<>), type.GetGenericArguments());
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Make(typeof(EntryNullableWriter<>), underlying);
        if (type == typeof(object) || type.IsInterface && !typeof(IEnumerable).IsAssignableFrom(type))
            return Make(typeof(EntryRuntimeWriter<>), type);
        if (
            typeof(IEnumerable).IsAssignableFrom(type)
            && type != typeof(byte[])
            && !typeof(IDictionary).IsAssignableFrom(type)
        )
        {
            var item =
                (type.IsInterface ? type.GetInterfaces().Append(type) : type.GetInterfaces())
                    .FirstOrDefault(i => i.IsGenericType && i.GetGenericTypeDefinition() == typeof(IEnumerable<>))
                    ?.GetGenericArguments()[0]
                ?? typeof(object);
            if (!item.IsGenericType || item.GetGenericTypeDefinition() != typeof(KeyValuePair<,>))
                return Make(typeof(EntrySequenceWriter<,>), type, item);
        }

        return Make(typeof(EntryJsonWriter<>), type);
    }

    private static EntryTypeWriter Make(Type definition, params Type[] arguments) =>
        (EntryTypeWriter)Activator.CreateInstance(definition.MakeGenericType(arguments), nonPublic: true)!;

    private static EntryTypeWriter? Scalar(Type type) =>
        Type.GetTypeCode(type) switch
        {
            _ when type.IsEnum => null,
            TypeCode.String => new EntryScalarWriter<string>(static (w, v) => w.Text(v)),
            TypeCode.Boolean => new EntryScalarWriter<bool>(static (w, v) => w.Boolean(v)),
            TypeCode.Char => new EntryScalarWriter<char>(static (w, v) => w.Text(v.ToString())),
            TypeCode.SByte => new EntryScalarWriter<sbyte>(static (w, v) => w.Integer(v)),
            TypeCode.Byte => new EntryScalarWriter<byte>(static (w, v) => w.Integer(v)),
            TypeCode.Int16 => new EntryScalarWriter<short>(static (w, v) => w.Integer(v)),
            TypeCode.UInt16 => new EntryScalarWriter<ushort>(static (w, v) => w.Integer(v)),
            TypeCode.Int32 => new EntryScalarWriter<int>(static (w, v) => w.Integer(v)),
            TypeCode.UInt32 => new EntryScalarWriter<uint>(static (w, v) => w.Integer(v)),
            TypeCode.Int64 => new EntryScalarWriter<long>(static (w, v) => w.Integer(v)),
            TypeCode.UInt64 => new EntryScalarWriter<ulong>(static (w, v) => w.Decimal(v)),
            TypeCode.Single => new EntryScalarWriter<float>(
                static (w, v) =>
                    w.Real(double.Parse(v.ToString("R", CultureInfo.InvariantCulture), CultureInfo.InvariantCulture))
            ),
            TypeCode.Double => new EntryScalarWriter<double>(static (w, v) => w.Real(v)),
            TypeCode.Decimal => new EntryScalarWriter<decimal>(static (w, v) => w.Decimal(v)),
            TypeCode.DateTime => new EntryScalarWriter<DateTime>(
                static (w, v) => w.Text(v.ToString("o", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(DateTimeOffset) => new EntryScalarWriter<DateTimeOffset>(
                static (w, v) => w.Text(v.ToString("o", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(DateOnly) => new EntryScalarWriter<DateOnly>(
                static (w, v) => w.Text(v.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(TimeOnly) => new EntryScalarWriter<TimeOnly>(
                static (w, v) => w.Text(v.ToString("o", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(TimeSpan) => new EntryScalarWriter<TimeSpan>(
                static (w, v) => w.Text(v.ToString("c", CultureInfo.InvariantCulture))
            ),
            _ when type == typeof(CreatedField) => new EntryScalarWriter<CreatedField>(static (w, v) => w.Dynamic(v)),
            _ when type == typeof(SpatialField) => new EntryScalarWriter<SpatialField>(static (w, v) => w.Spatial(v)),
            _ => null,
        };
}

/// <summary>The writer of a type that is known when the definition is compiled: no boxing, no look-up.</summary>
internal abstract class EntryTypeWriter<T> : EntryTypeWriter
{
    /// <summary>
    /// The one writer of <typeparamref name="T"/>; of its run-time type where values may be of a derived one.
    /// </summary>
    public static readonly EntryTypeWriter<T> Instance =
        For(typeof(T)) as EntryTypeWriter<T> ?? new EntryRuntimeWriter<T>();

    public abstract void Write(IndexEntryWriter writer, T value);

    public sealed override void WriteObject(IndexEntryWriter writer, object value) => Write(writer, (T)value);
}
