using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Akka.Serialization;
using Pipeline.Database.Events;

namespace Pipeline.Akka.Persistence.Serialization;

/// <summary>Events and snapshots between the actor system's serializers and the event store. Thread-safe.</summary>
internal sealed class EventCodec
{
    /// <summary>Between the serializer's manifest and the event adapter's, where there is one.</summary>
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
        (object payload, IReadOnlyList<string> tags) = item.Payload is Tagged tagged ? (tagged.Payload, [.. tagged.Tags]) : (item.Payload, (IReadOnlyList<string>)[]);
        (byte[] bytes, int serializer, string manifest) = Serialize(payload);
        if (item.Manifest.Length > 0) manifest += ManifestSeparator + item.Manifest;
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

    internal Persistent Decode(in StoredEvent item)
    {
        int separator = item.Manifest.IndexOf(ManifestSeparator, StringComparison.Ordinal);
        string manifest = separator < 0 ? item.Manifest : item.Manifest[..separator];
        object payload = Deserialize(item.Payload, item.SerializerId, manifest);
        return new Persistent(payload, item.SequenceNumber, item.StreamId, separator < 0 ? "" : item.Manifest[(separator + 1)..], false, ActorRefs.NoSender, item.Writer, item.Timestamp.Ticks);
    }

    internal (byte[] Bytes, int Serializer, string Manifest) Serialize(object payload)
    {
        Serializer serializer = _system.Serialization.FindSerializerForType(payload.GetType(), _serializer);
        byte[] bytes = global::Akka.Serialization.Serialization.WithTransport(_system, (serializer, payload), static s => s.serializer.ToBinary(s.payload));
        return (bytes, serializer.Identifier, global::Akka.Serialization.Serialization.ManifestFor(serializer, payload));
    }

    internal object Deserialize(ReadOnlyMemory<byte> payload, int serializer, string manifest) => _system.Serialization.Deserialize(payload.ToArray(), serializer, manifest);
}
