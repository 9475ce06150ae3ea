using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    internal const string IdentityPrefix = "identity/";

    /// <summary>The last number of each identity, by the prefix of its ids in lower case.</summary>
    public IReadOnlyDictionary<string, long> GetIdentities()
    {
        CheckOpen();
        var identities = new Dictionary<string, long>(StringComparer.Ordinal);
        if (!_transaction.TryOpenTree(DatabaseTrees.Meta, out var meta))
            return identities;
        var prefix = Encoding.UTF8.GetBytes(IdentityPrefix);
        using var cursor = meta.OpenCursor();
        for (var any = cursor.Seek(prefix); any && cursor.Key.StartsWith(prefix); any = cursor.MoveNext())
        {
            identities[Encoding.UTF8.GetString(cursor.Key[prefix.Length..]).TrimEnd('\0')] =
                BinaryPrimitives.ReadInt64LittleEndian(cursor.Value);
        }

        return identities;
    }
}
