using System.Text;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.Persistence.Fsm;
using Akka.Persistence.Journal;
using Akka.Serialization;
using Akka.TestKit;
using Xunit;

namespace Pipeline.Akka.Tests.Plugin;

/// <summary>
/// Events and snapshots go through the serializers of the actor system and come back with their manifests.
/// </summary>
/// <param name="place">Where events are kept.</param>
public abstract class SerializationTests(Config place)
    : PluginTest(
        ConfigurationFactory
            .ParseString(
                """
                akka.actor {
                  serializers {
                    plain = "Pipeline.Akka.Tests.Plugin.PlainSerializer, Pipeline.Akka.Tests"
                    named = "Pipeline.Akka.Tests.Plugin.NamedSerializer, Pipeline.Akka.Tests"
                  }
                  serialization-bindings {
                    "Pipeline.Akka.Tests.Plugin.PlainPayload, Pipeline.Akka.Tests" = plain
                    "Pipeline.Akka.Tests.Plugin.NamedPayload, Pipeline.Akka.Tests" = named
                  }
                }
                akka.persistence.journal.pipeline {
                  event-adapters.renamer = "Pipeline.Akka.Tests.Plugin.Renamer, Pipeline.Akka.Tests"
                  event-adapter-bindings { "Pipeline.Akka.Tests.Plugin.Renamed, Pipeline.Akka.Tests" = renamer }
                }
                """
            )
            .WithFallback(place)
    )
{
    public static TheoryData<string> Payloads =>
        [
            "a text",
            "plain",
            "named",
            "bytes",
            "actor",
            "state change",
            "state change with a timeout",
            "deliveries",
            "no deliveries",
            "state",
        ];

    [Theory]
    [MemberData(nameof(Payloads))]
    public void An_event_comes_back_equal(string name)
    {
        var payload = Make(name);
        Write("a", 1, payload);
        AssertSame(payload, Assert.Single(Replay("a").Events).Payload);
    }

    [Theory]
    [MemberData(nameof(Payloads))]
    public void A_snapshot_comes_back_equal(string name)
    {
        var payload = Make(name);
        Save("a", 1, payload);
        AssertSame(payload, Load("a", SnapshotSelectionCriteria.Latest)!.Snapshot);
    }

    [Fact]
    public void An_event_adapter_gets_its_own_manifest_back_beside_the_serializers()
    {
        Write("a", 1, new Renamed("x"));
        var stored = Assert.Single(Replay("a").Events);
        Assert.Equal(new Renamed("x, read as renamed-v2"), stored.Payload);
    }

    private object Make(string name) =>
        name switch
        {
            "plain" => new PlainPayload("ä"),
            "named" => new NamedPayload("ö", 3),
            "bytes" => new byte[] { 0, 1, 255 },
            "actor" => TestActor,
            "state change" => new PersistentFSM.StateChangeEvent("open", null),
            "state change with a timeout" => new PersistentFSM.StateChangeEvent("open", TimeSpan.FromSeconds(10)),
            "deliveries" => new AtLeastOnceDeliverySnapshot(
                17,
                [
                    new UnconfirmedDelivery(5, TestActor.Path, "message"),
                    new UnconfirmedDelivery(7, Sys.DeadLetters.Path, "other"),
                ]
            ),
            "no deliveries" => new AtLeastOnceDeliverySnapshot(13, []),
            "state" => new PersistentFSM.PersistentFSMSnapshot<string>("open", "data", TimeSpan.FromSeconds(1)),
            _ => name,
        };

    private static void AssertSame(object expected, object actual)
    {
        if (expected is AtLeastOnceDeliverySnapshot snapshot)
        {
            var read = Assert.IsType<AtLeastOnceDeliverySnapshot>(actual);
            Assert.Equal(snapshot.CurrentDeliveryId, read.CurrentDeliveryId);
            Assert.Equal(
                snapshot.UnconfirmedDeliveries.Select(d => (d.DeliveryId, d.Destination, d.Message)),
                read.UnconfirmedDeliveries.Select(d => (d.DeliveryId, d.Destination, d.Message))
            );
        }
        else if (expected is PersistentFSM.StateChangeEvent change)
        {
            var read = Assert.IsType<PersistentFSM.StateChangeEvent>(actual);
            Assert.Equal((change.StateIdentifier, change.Timeout), (read.StateIdentifier, read.Timeout));
        }
        else
        {
            Assert.Equal(expected, actual);
        }
    }
}

public sealed class EmbeddedSerializationTests() : SerializationTests(SpecPlace.Embedded());

[Collection(SpecServer.Collection)]
public sealed class RemoteSerializationTests() : SerializationTests(SpecPlace.Remote());

/// <summary>Written by a serializer that knows types and no manifests.</summary>
public sealed record PlainPayload(string Text);

/// <summary>Written by a serializer that chooses its manifests.</summary>
public sealed record NamedPayload(string Text, int Number);

/// <summary>Goes through an event adapter with a manifest.</summary>
public sealed record Renamed(string Text);

/// <summary>Writes the text; the type is the manifest.</summary>
public sealed class PlainSerializer(ExtendedActorSystem system) : Serializer(system)
{
    /// <inheritdoc/>
    public override int Identifier => 9_702;

    /// <inheritdoc/>
    public override bool IncludeManifest => true;

    /// <inheritdoc/>
    public override byte[] ToBinary(object obj) => Encoding.UTF8.GetBytes(((PlainPayload)obj).Text);

    /// <inheritdoc/>
    public override object FromBinary(byte[] bytes, Type type)
    {
        Assert.Equal(typeof(PlainPayload), type);
        return new PlainPayload(Encoding.UTF8.GetString(bytes));
    }
}

/// <summary>Writes the text; the manifest has the number.</summary>
public sealed class NamedSerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    /// <inheritdoc/>
    public override int Identifier => 9_703;

    /// <inheritdoc/>
    public override byte[] ToBinary(object obj) => Encoding.UTF8.GetBytes(((NamedPayload)obj).Text);

    /// <inheritdoc/>
    public override object FromBinary(byte[] bytes, string manifest) =>
        new NamedPayload(
            Encoding.UTF8.GetString(bytes),
            int.Parse(manifest, System.Globalization.CultureInfo.InvariantCulture)
        );

    /// <inheritdoc/>
    public override string Manifest(object o) =>
        ((NamedPayload)o).Number.ToString(System.Globalization.CultureInfo.InvariantCulture);
}

/// <summary>Says in a manifest which version wrote an event.</summary>
public sealed class Renamer : IEventAdapter
{
    /// <inheritdoc/>
    public string Manifest(object evt) => "renamed-v2";

    /// <inheritdoc/>
    public object ToJournal(object evt) => evt;

    /// <inheritdoc/>
    public IEventSequence FromJournal(object evt, string manifest) =>
        EventSequence.Single(new Renamed($"{((Renamed)evt).Text}, read as {manifest}"));
}
