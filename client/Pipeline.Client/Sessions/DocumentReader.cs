using System.Buffers;
using System.Text;
using System.Text.Json;
using Pipeline.Client.Conventions;
using Pipeline.Client.Documents;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>Makes objects of documents: with the id in its member, and without the metadata.</summary>
internal static class DocumentReader
{
    private static readonly SearchValues<char> Unescaped = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-_.:|@ "
    );

    /// <summary>The object of a document; <see langword="null"/> only if the serializer makes none.</summary>
    /// <param name="data">The document.</param>
    /// <param name="model">Its class.</param>
    /// <param name="setsId">Whether the object gets the id.</param>
    public static object? Read(DocumentData data, DocumentModel model, bool setsId)
    {
        var idName = setsId && data.Id is not null ? model.IdName : null;
        data.WithoutMetadata(out var head, out var tail);
        if (!IsSpliced(head, tail, idName, data.Id))
            return JsonSerializer.Deserialize(DocumentMembers.WithId(data.Json.Span, idName, data.Id), model.Json);
        var length = head.Length + tail.Length + (idName is null ? 0 : idName.Length + data.Id!.Length + 6);
        var buffer = ArrayPool<byte>.Shared.Rent(length);
        try
        {
            return JsonSerializer.Deserialize(
                buffer.AsSpan(0, Splice(buffer, head, tail, idName, data.Id)),
                model.Json
            );
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>
    /// Whether the id may simply be put before the other members: none has its name, and none has to come first.
    /// </summary>
    private static bool IsSpliced(ReadOnlySpan<byte> head, ReadOnlySpan<byte> tail, string? idName, string? id)
    {
        // An escape may hide a name.
        if (head.IndexOf("\\u"u8) >= 0 || tail.IndexOf("\\u"u8) >= 0 || Has(head, tail, "$type"))
            return false;
        return idName is null
            || (
                !id.AsSpan().ContainsAnyExcept(Unescaped)
                && !idName.AsSpan().ContainsAnyExcept(Unescaped)
                && !Has(head, tail, idName)
            );
    }

    /// <summary>Whether the name is anywhere in the text, in quotes.</summary>
    private static bool Has(ReadOnlySpan<byte> head, ReadOnlySpan<byte> tail, string name)
    {
        Span<byte> quoted = stackalloc byte[64];
        if (name.Length > quoted.Length - 2)
            return true;
        quoted[0] = (byte)'"';
        var end = 1 + Encoding.ASCII.GetBytes(name, quoted[1..]);
        quoted[end++] = (byte)'"';
        return head.IndexOf(quoted[..end]) >= 0 || tail.IndexOf(quoted[..end]) >= 0;
    }

    private static int Splice(
        Span<byte> target,
        ReadOnlySpan<byte> head,
        ReadOnlySpan<byte> tail,
        string? idName,
        string? id
    )
    {
        // The head begins with the object's brace; an empty object has nothing to separate the id from.
        var at = 0;
        target[at++] = (byte)'{';
        head = head[1..];
        if (idName is not null)
        {
            target[at++] = (byte)'"';
            at += Encoding.ASCII.GetBytes(idName, target[at..]);
            "\":\""u8.CopyTo(target[at..]);
            at += 3;
            at += Encoding.ASCII.GetBytes(id!, target[at..]);
            target[at++] = (byte)'"';
            if (head.ContainsAnyExcept(" \t\r\n"u8) || tail.TrimStart(" \t\r\n"u8) is [not (byte)'}', ..])
                target[at++] = (byte)',';
        }

        head.CopyTo(target[at..]);
        tail.CopyTo(target[(at + head.Length)..]);
        return at + head.Length + tail.Length;
    }
}
