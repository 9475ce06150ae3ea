using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>The fields of an index, by name and by number. A field is defined once and never changes. Thread-safe.</summary>
internal sealed class FieldCatalog
{
    private readonly int _most;
    private readonly Lock _defining = new();
    private readonly ConcurrentDictionary<string, IndexField> _byName = new(StringComparer.Ordinal);
    private IndexField[] _fields;

    /// <summary>Reads the fields that are stored.</summary>
    /// <exception cref="IndexCorruptException">Their numbers or names are not in order.</exception>
    public FieldCatalog(Transaction snapshot, int most)
    {
        _most = Math.Min(most, ushort.MaxValue);
        var stored = FieldRecord.ReadAll(snapshot);
        _fields = new IndexField[stored.Count];
        for (var i = 0; i < _fields.Length; i++)
        {
            var field = stored[i].Field;
            if (field.Number != i || !_byName.TryAdd(field.Name, field))
            {
                throw IndexTrees.Corrupt(
                    IndexTrees.Fields,
                    default,
                    $"field {field.Number}, '{field.Name}', is out of place"
                );
            }

            _fields[i] = field;
        }
    }

    /// <summary>All fields, by number.</summary>
    public IReadOnlyList<IndexField> All => Volatile.Read(ref _fields);

    public bool TryGet(string name, [NotNullWhen(true)] out IndexField? field) => _byName.TryGetValue(name, out field);

    /// <inheritdoc cref="IndexStore.Field"/>
    public IndexField GetOrDefine(string name, FieldOptions? options)
    {
        if (!_byName.TryGetValue(name, out var field))
            field = Define(name, options ?? FieldOptions.Default);
        if (options is not null && options != field.Options)
        {
            throw new ArgumentException(
                $"The field '{name}' exists with other options: {field.Options}, not {options}. An index whose definition changes must be rebuilt.",
                nameof(options)
            );
        }

        return field;
    }

    private IndexField Define(string name, FieldOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (Encoding.UTF8.GetByteCount(name) > IndexField.MaxNameLength)
        {
            throw new ArgumentException(
                $"The name of a field has at most {IndexField.MaxNameLength} bytes in UTF-8.",
                nameof(name)
            );
        }

        lock (_defining)
        {
            if (_byName.TryGetValue(name, out var field))
                return field;
            if (_fields.Length >= _most)
                throw new TooManyFieldsException(name, _most);
            field = new IndexField(_fields.Length, name, options);
            Volatile.Write(ref _fields, [.. _fields, field]);
            return _byName[name] = field;
        }
    }
}
