using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Serialization;

/// <summary>
/// Converts events and snapshots between the actor system's serializers and the event store. Thread-safe.
/// </summary>
internal sealed class EventCodec
{
    /// <summary>Separates the serializer's manifest from the event adapter's, if there is one.</summary>
    private const char ManifestSeparator = '\u001f';
    private readonly ExtendedActorSystem _system;
    private readonly string? _serializer;

    internal EventCodec(ExtendedActorSystem system, Config config)
    {
        _system = system;
        _serializer = config.GetString("serializer", "") is { Length: > 0 } name ? name : null;
    }

    internal EventData Encode(IPersistentRepresentation item)
    {
        (var payload, var tags) = item.Payload is Tagged tagged
            ? (tagged.Payload, [.. tagged.Tags])
            : (item.Payload, (IReadOnlyList<string>)[]);
        (var bytes, var serializer, var manifest) = Serialize(payload);
        if (item.Manifest.Length > 0)
            manifest += ManifestSeparator + item.Manifest;
        return new EventData
        {
            SequenceNumber = item.SequenceNr,
            Payload = bytes,
            SerializerId = serializer,
            Manifest = manifest,
            Writer = item.WriterGuid,
            Tags = tags,
        };
    }

    /// <summary>Decodes events, which do not refer to the batch's memory.</summary>
    /// <exception cref="StreamKeyDestroyedException">The events can no longer be read.</exception>
    internal Persistent[] Decode(EventBatch batch)
    {
        var decoded = new Persistent[batch.Count];
        (var both, var manifest, var adapter) = ("", "", "");
        for (var i = 0; i < decoded.Length; i++)
        {
            var item = batch[i];
            if (item.IsKeyDestroyed)
                throw new StreamKeyDestroyedException(item.StreamId);

            // Events of a stream mostly share one manifest, which a batch stores once.
            if (!ReferenceEquals(both, item.Manifest))
                (both, (manifest, adapter)) = (item.Manifest, Split(item.Manifest));
            decoded[i] = ToPersistent(item, manifest, adapter);
        }

        return decoded;
    }

    internal Persistent Decode(in StoredEvent item)
    {
        (var manifest, var adapter) = Split(item.Manifest);
        return ToPersistent(item, manifest, adapter);
    }

    internal (byte[] Bytes, int Serializer, string Manifest) Serialize(object payload)
    {
        var serializer = _system.Serialization.FindSerializerForType(payload.GetType(), _serializer);
        var bytes = global::Akka.Serialization.Serialization.WithTransport(
            _system,
            (serializer, payload),
            static s => s.serializer.ToBinary(s.payload)
        );
        return (
            bytes,
            serializer.Identifier,
            global::Akka.Serialization.Serialization.ManifestFor(serializer, payload)
        );
    }

    internal object Deserialize(ReadOnlyMemory<byte> payload, int serializer, string manifest) =>
        _system.Serialization.Deserialize(payload.ToArray(), serializer, manifest);

    private static (string Serializer, string Adapter) Split(string manifest)
    {
        var separator = manifest.IndexOf(ManifestSeparator, StringComparison.Ordinal);
        return separator < 0 ? (manifest, "") : (manifest[..separator], manifest[(separator + 1)..]);
    }

    private Persistent ToPersistent(in StoredEvent item, string manifest, string adapter) =>
        new(
            Deserialize(item.Payload, item.SerializerId, manifest),
            item.SequenceNumber,
            item.StreamId,
            adapter,
            false,
            ActorRefs.NoSender,
            item.Writer,
            item.Timestamp.Ticks
        );
}
