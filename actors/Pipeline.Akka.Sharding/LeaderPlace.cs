using Akka.Actor;
using Akka.Actor.Setup;

namespace Pipeline.Akka.Sharding;

/// <summary>
/// Where the database's leader is. Immutable; the functions are called from any thread and do not wait.
/// </summary>
public sealed class LeaderPlaceSetup : Setup
{
    /// <summary>Creates the setup.</summary>
    /// <param name="leader">
    /// The address of the actor system on the node that leads; null while none is known.
    /// </param>
    /// <param name="leads">
    /// Whether this node leads, and knows that no other does: only then may it remove others from the actors' cluster.
    /// </param>
    public LeaderPlaceSetup(Func<Address?> leader, Func<bool> leads) => (Leader, Leads) = (leader, leads);

    internal Func<Address?> Leader { get; }

    internal Func<bool> Leads { get; }
}

/// <summary>Where the database's leader is, for the actors of one system. Thread-safe.</summary>
public sealed class LeaderPlace : IExtension
{
    private readonly LeaderPlaceSetup _setup;

    private LeaderPlace(LeaderPlaceSetup setup) => _setup = setup;

    /// <summary>The address of the actor system on the node that leads; null while none is known.</summary>
    public Address? Leader => _setup.Leader();

    /// <summary>Whether this node leads, and knows that no other does.</summary>
    public bool Leads => _setup.Leads();

    /// <summary>Returns the place for an actor system.</summary>
    /// <exception cref="InvalidOperationException">The system was started without a <see cref="LeaderPlaceSetup"/>.</exception>
    public static LeaderPlace Get(ActorSystem system)
    {
        ArgumentNullException.ThrowIfNull(system);
        return system.WithExtension<LeaderPlace, Provider>();
    }

    private sealed class Provider : ExtensionIdProvider<LeaderPlace>
    {
        public override LeaderPlace CreateExtension(ExtendedActorSystem system) =>
            system.Settings.Setup.Get<LeaderPlaceSetup>() is { HasValue: true } setup
                ? new LeaderPlace(setup.Value)
                : throw new InvalidOperationException(
                    $"The actor system {system.Name} does not know the leader of the database. A worker whose configuration has actors.cluster tells it; others give BootstrapSetup a {nameof(LeaderPlaceSetup)}."
                );
    }
}
